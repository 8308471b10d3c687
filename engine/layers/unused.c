#include "engine/layers/unused.h"

#include "base/mem.h"
#include "engine/plan_ports.h"

tare_status tarei_plan_keep_unused(tare_plan *const plan, const tarei_named list,
                                   const bool *const unused, tarei_unused *const out,
                                   tare_error *const err) {
  const size_t n = (size_t)list.n;
  out->names = tarei_calloc(n, sizeof *out->names);
  if (!out->names) {
    return tarei_fail_memory(err, "names", n * sizeof *out->names);
  }
  for (int i = 0; i < list.n; i++) {
    if (unused[i]) {
      tarei_str name = {0};
      tarei_str_add(&name, "%s", tarei_named_at(list, i));
      const char *const kept = tarei_plan_keep(plan, &name);
      if (!kept) {
        return tarei_fail_memory(err, "names", n);
      }
      out->names[out->n++] = kept;
    }
  }
  return TARE_OK;
}
