#include <stdlib.h>
#include <tare/tare.h>

#include "base/str.h"
#include "engine/plan.h"

tare_status tarei_isa_read(const char *const isa, unsigned *const mask, tare_error *const err) {
  const char *const set = getenv("TARE_ISA");
  const char *const wanted = isa ? isa : set && *set ? set : NULL;
  *mask = TAREI_ISA_ALL;
  return !wanted || tarei_isa_parse(wanted, mask)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "%sunknown instruction set '%s', expected some of %s",
                          isa ? "" : "TARE_ISA in the environment: ", wanted, tarei_isa_choices());
}

int tare_n_isas(void) {
  int n = 0;
  while (tarei_isa_at(n)) {
    n++;
  }
  return n;
}

const char *tare_isa_name(const int number) {
  return tarei_isa_at(number);
}

tare_status tare_cpu_report(const char *const isa, char **const out, tare_error *const err) {
  unsigned mask;
  tarei_str s = {0};
  *out = NULL;
  TAREI_TRY(tarei_isa_read(isa, &mask, err));
  const unsigned found = tarei_isa_detect();
  tarei_str_add(&s, "features");
  for (unsigned bit = 1; bit && bit <= found; bit <<= 1) {
    if (found & bit) {
      tarei_str_add(&s, " %s%s", tarei_isa_name(bit), mask & bit ? "" : " (masked)");
    }
  }
  tarei_str_add(&s, "%s\ncores %d\n", found ? "" : " scalar", tare_cores());
  tarei_kernels kernels;
  tarei_kernels_select(mask, &kernels);
#define TAREI_KERNEL_LINE(family, type) \
  tarei_str_add(&s, "kernel %s %s\n", #family, kernels.family##_name);
  TAREI_KERNEL_FAMILIES(TAREI_KERNEL_LINE)
#undef TAREI_KERNEL_LINE
  if (s.failed) {
    tarei_str_free(&s);
    return tarei_fail_memory(err, "report", 0);
  }
  *out = s.text;
  return TARE_OK;
}
