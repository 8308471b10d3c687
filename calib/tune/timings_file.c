/* Timing caches: JSON files of the times of layers (docs/formats.md). */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "calib/tune/timings.h"
#include "graph/table/formats/json_members.h"
#include "graph/table/formats/json_source.h"

#define FORMAT "tare.timings"
enum { VERSION = 1, MOST_THREADS = 65536 };

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status timings_read_layers(const tarei_json_place *const p, const cJSON *const layers,
                                       tarei_timing_section *const section, tare_error *const err) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, layers) {
    int64_t nanoseconds;
    if (!tarei_json_as_count(item, &nanoseconds)) {
      return tarei_json_fail_at(p, item->string, "must be an integer from 0 to 2^53", err);
    }
    TAREI_TRY(tarei_timing_add(section, item->string, nanoseconds, err));
  }
  return TARE_OK;
}

static tare_status timings_read_machine(const tarei_json_place *const p, const cJSON *const item,
                                        tare_timings *const timings, tare_error *const err) {
  const char *cpu = NULL, *isa = NULL, *version = NULL;
  const cJSON *layers = NULL;
  int64_t threads = 0;
  int section = 0;
  TAREI_TRY(tarei_json_get_text(p, item, "cpu", &cpu, err));
  TAREI_TRY(tarei_json_get_text(p, item, "isa", &isa, err));
  TAREI_TRY(tarei_json_get_text(p, item, "tare", &version, err));
  TAREI_TRY(tarei_json_get_count(p, item, "threads", &threads, err));
  TAREI_TRY(tarei_json_get_object(p, item, "layers", &layers, err));
  if (threads < 1 || threads > MOST_THREADS) {
    return tarei_json_fail_at(p, "threads", "must be an integer from 1 to 65536", err);
  }
  const tarei_timing_machine machine = {(char *)cpu, (char *)isa, (char *)version, (int)threads};
  TAREI_TRY(tarei_timings_section(timings, &machine, &section, err));
  return timings_read_layers(p, layers, &timings->sections[section], err);
}

static tare_status timings_read_root(const tarei_source *const source, const cJSON *const root,
                                     tare_timings *const timings, tare_error *const err) {
  tarei_json_place p = {.file = source->name};
  const char *format = NULL;
  const cJSON *machines = NULL, *item = NULL;
  int64_t version = 0;
  TAREI_TRY(tarei_json_get_text(&p, root, "format", &format, err));
  if (strcmp(format, FORMAT) != 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: 'format' is '%.80s', expected '%s'", source->name,
                      format, FORMAT);
  }
  TAREI_TRY(tarei_json_get_count(&p, root, "version", &version, err));
  if (version != VERSION) {
    return tarei_fail(err, TARE_E_INPUT, "%s: %s version %" PRId64 " is not supported: expected %d",
                      source->name, FORMAT, version, VERSION);
  }
  TAREI_TRY(tarei_json_get_array(&p, root, "machines", &machines, err));
  int n = 0;
  cJSON_ArrayForEach(item, machines) {
    (void)snprintf(p.where, sizeof p.where, "machine %d", ++n);
    TAREI_TRY(timings_read_machine(&p, item, timings, err));
  }
  return TARE_OK;
}

tare_status tarei_timings_read_source(tare_timings *const timings, const tarei_source *const source,
                                      tare_error *const err) {
  cJSON *root = NULL;
  TAREI_TRY(tarei_json_parse(source, &root, err));
  const tare_status status = timings_read_root(source, root, timings, err);
  cJSON_Delete(root);
  return status;
}

tare_status tare_timings_read(tare_timings *const timings, const char *const path,
                              tare_error *const err) {
  tarei_source source = {0};
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tare_status status = tarei_timings_read_source(timings, &source, err);
  tarei_source_close(&source);
  return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int by_work(const void *const a, const void *const b) {
  return strcmp((*(const tarei_timing *const *)a)->work, (*(const tarei_timing *const *)b)->work);
}

static void timings_put_member(tarei_str *const json, const char *const key,
                               const char *const text) {
  tarei_str_add(json, "\"%s\": ", key);
  tarei_json_put_text(json, text);
  tarei_str_add(json, ", ");
}

static void timings_put_layers(const tarei_timing_section *const section, tarei_str *const json) {
  const tarei_timing **const sorted = tarei_calloc((size_t)section->n, sizeof *sorted);
  json->failed |= !sorted;
  for (int i = 0; sorted && i < section->n; i++) {
    sorted[i] = &section->items[i];
  }
  if (sorted) {
    qsort(sorted, (size_t)section->n, sizeof *sorted, by_work);
  }
  for (int i = 0; sorted && i < section->n; i++) {
    tarei_str_add(json, "%s\n", i ? "," : "");
    tarei_json_put_text(json, sorted[i]->work);
    tarei_str_add(json, ": %" PRId64, sorted[i]->nanoseconds);
  }
  free(sorted);
}

void tarei_timings_put(const tare_timings *const timings, tarei_str *const json) {
  tarei_str_add(json, "{\n\"format\": \"%s\",\n\"version\": %d,\n\"machines\": [", FORMAT, VERSION);
  for (int s = 0; s < timings->n; s++) {
    const tarei_timing_machine *const machine = &timings->sections[s].machine;
    tarei_str_add(json, "%s\n{", s ? "," : "");
    timings_put_member(json, "cpu", machine->cpu);
    timings_put_member(json, "isa", machine->isa);
    timings_put_member(json, "tare", machine->version);
    tarei_str_add(json, "\"threads\": %d, \"layers\": {", machine->threads);
    timings_put_layers(&timings->sections[s], json);
    tarei_str_add(json, "\n}}");
  }
  tarei_str_add(json, "\n]\n}\n");
}

/* Keeps other processes from writing files of this folder in the same way until the file is closed.
 * -1 where the file system has no locks: then the times of one of two writers may be lost. */
static int lock_folder(const char *const path) {
  const char *const slash = strrchr(path, '/');
  char *const folder = tarei_strdup(slash ? path : ".");
  if (folder && slash) {
    folder[slash == path ? 1 : slash - path] = '\0';
  }
  const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  return fd;
}

static tare_status save_locked(tare_timings *const timings, const char *const path,
                               tare_error *const err) {
  tarei_str json = {0};
  if (access(path, F_OK) == 0) {
    TAREI_TRY(tare_timings_read(timings, path, err));
  }
  tarei_timings_put(timings, &json);
  const tare_status status = json.failed
                                 ? tarei_fail_memory(err, path, json.length)
                                 : tarei_outfile_save(path, tarei_str_get(&json), json.length, err);
  tarei_str_free(&json);
  return status;
}

tare_status tare_timings_save(tare_timings *const timings, const char *const path,
                              tare_error *const err) {
  const int lock = lock_folder(path);
  const tare_status status = save_locked(timings, path, err);
  if (lock >= 0) {
    (void)close(lock); /* only locked */
  }
  return status;
}
