#include "engine/step.h"

/* An If does not call what is closed (engine/lower/bodies/lower_if.c). */
static tare_status closed_run(const tarei_step *const step, const tarei_run *const run,
                              tare_error *const err) {
  (void)run;
  return tarei_fail(err, TARE_E_UNSUPPORTED, "%s",
                    tarei_attr_string(step->node, TAREI_ATTR_CLOSED_REASON, "cannot run"));
}

const tarei_lowering tarei_lower_closed = {.run = closed_run};
