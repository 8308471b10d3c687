#include "calib/tune/timings.h"

#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "base/machine.h"
#include "base/mem.h"
#include "kernels/kernels.h"

/* --- machines --------------------------------------------------------------------------------- */

static char *isa_text(const unsigned mask) {
  const unsigned isa = mask & tarei_isa_detect();
  tarei_str s = {0};
  for (unsigned bit = 1; bit && bit <= isa; bit <<= 1) {
    if (isa & bit) {
      tarei_str_add(&s, "%s%s", s.length ? " " : "", tarei_isa_name(bit));
    }
  }
  tarei_str_add(&s, "%s", isa ? "" : tarei_isa_name(TAREI_ISA_SCALAR));
  char *const text = s.failed ? NULL : tarei_strdup(tarei_str_get(&s));
  tarei_str_free(&s);
  return text;
}

static char *cpu_text(void) {
  tarei_str s = {0};
  tarei_machine_cpu(&s);
  char *const text = s.failed ? NULL : tarei_strdup(tarei_str_get(&s));
  tarei_str_free(&s);
  return text;
}

tare_status tarei_timing_machine_init(tarei_timing_machine *const machine, const unsigned isa,
                                      const int threads, tare_error *const err) {
  *machine = (tarei_timing_machine){.cpu = cpu_text(),
                                    .isa = isa_text(isa),
                                    .version = tarei_strdup(tare_version()),
                                    .threads = threads ? threads : tare_cores()};
  return machine->cpu && machine->isa && machine->version
             ? TARE_OK
             : tarei_fail_memory(err, "timings", sizeof *machine);
}

void tarei_timing_machine_fini(tarei_timing_machine *const machine) {
  free(machine->cpu);
  free(machine->isa);
  free(machine->version);
  *machine = (tarei_timing_machine){0};
}

static bool machine_equals(const tarei_timing_machine *const a,
                           const tarei_timing_machine *const b) {
  return a->threads == b->threads && strcmp(a->cpu, b->cpu) == 0 && strcmp(a->isa, b->isa) == 0 &&
         strcmp(a->version, b->version) == 0;
}

static tare_status machine_copy(const tarei_timing_machine *const from,
                                tarei_timing_machine *const to, tare_error *const err) {
  *to = (tarei_timing_machine){.cpu = tarei_strdup(from->cpu),
                               .isa = tarei_strdup(from->isa),
                               .version = tarei_strdup(from->version),
                               .threads = from->threads};
  return to->cpu && to->isa && to->version ? TARE_OK
                                           : tarei_fail_memory(err, "timings", sizeof *to);
}

/* --- times ------------------------------------------------------------------------------------ */

tare_status tarei_timings_section(tare_timings *const t, const tarei_timing_machine *const machine,
                                  int *const out, tare_error *const err) {
  for (*out = 0; *out < t->n; ++*out) {
    if (machine_equals(&t->sections[*out].machine, machine)) {
      return TARE_OK;
    }
  }
  if (!TAREI_GROW(t->sections, t->n, t->cap)) {
    return tarei_fail_memory(err, "timings", sizeof *t->sections);
  }
  t->sections[t->n] = (tarei_timing_section){.n = 0};
  return machine_copy(machine, &t->sections[t->n++].machine, err);
}

int64_t tarei_timing_find(const tarei_timing_section *const section, const char *const work) {
  const int i = tarei_names_find(&section->names, work);
  return i < 0 ? -1 : section->items[i].nanoseconds;
}

tare_status tarei_timing_add(tarei_timing_section *const section, const char *const work,
                             const int64_t nanoseconds, tare_error *const err) {
  const int i = tarei_names_find(&section->names, work);
  if (i >= 0) {
    int64_t *const kept = &section->items[i].nanoseconds;
    *kept = nanoseconds < *kept ? nanoseconds : *kept;
    return TARE_OK;
  }
  char *const own = tarei_strdup(work);
  if (!own || !TAREI_GROW(section->items, section->n, section->cap) ||
      !tarei_names_grow(&section->names)) {
    free(own);
    return tarei_fail_memory(err, "timings", strlen(work));
  }
  tarei_names_add(&section->names, own, section->n);
  section->items[section->n++] = (tarei_timing){own, nanoseconds};
  return TARE_OK;
}

/* --- users ------------------------------------------------------------------------------------ */

tare_status tare_timings_new(tare_timings **const out, tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  return *out ? TARE_OK : tarei_fail_memory(err, "timings", sizeof **out);
}

void tare_timings_free(tare_timings **const timings) {
  tare_timings *const t = *timings;
  for (int s = 0; t && s < t->n; s++) {
    for (int i = 0; i < t->sections[s].n; i++) {
      free(t->sections[s].items[i].work);
    }
    free(t->sections[s].items);
    tarei_names_fini(&t->sections[s].names);
    tarei_timing_machine_fini(&t->sections[s].machine);
  }
  if (t) {
    free(t->sections);
  }
  free(t);
  *timings = NULL;
}

/* How two machines differ; false: not at all. */
static bool tell_difference(const tarei_timing_machine *const theirs,
                            const tarei_timing_machine *const ours, tare_error *const err) {
  const char *const facts[][3] = {{"on CPU", theirs->cpu, ours->cpu},
                                  {"by tare", theirs->version, ours->version},
                                  {"with ISA", theirs->isa, ours->isa}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    if (strcmp(facts[i][1], facts[i][2]) != 0) {
      (void)tarei_fail(err, TARE_E_CHECK, "its times were measured %s '%s', this is '%s'",
                       facts[i][0], facts[i][1], facts[i][2]);
      return true;
    }
  }
  if (theirs->threads != ours->threads) {
    (void)tarei_fail(err, TARE_E_CHECK, "its times were measured with %d threads, this is %d",
                     theirs->threads, ours->threads);
  }
  return theirs->threads != ours->threads;
}

tare_status tare_timings_check(const tare_timings *const timings, const char *const isa,
                               const int threads, tare_error *const err) {
  unsigned mask = TAREI_ISA_ALL;
  tarei_timing_machine ours;
  if (isa && !tarei_isa_parse(isa, &mask)) {
    return tarei_fail(err, TARE_E_USAGE, "unknown instruction set '%s', expected some of %s", isa,
                      tarei_isa_choices());
  }
  tare_status status = tarei_timing_machine_init(&ours, mask, threads, err);
  bool other = status == TARE_OK;
  for (int s = 0; s < timings->n && other; s++) {
    other = tell_difference(&timings->sections[s].machine, &ours, err);
  }
  tarei_timing_machine_fini(&ours);
  return status == TARE_OK && timings->n && other ? TARE_E_CHECK : status;
}
