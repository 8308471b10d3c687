/* Q/DQ right behind Q/DQ: values are rounded twice. */
#include "graph/check/check.h"

static void run_double(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    const tarei_quantizer *const q = &c->quantizers[i];
    const tarei_quantizer *const before =
        q->restores ? NULL : tarei_check_quantizer(c, tarei_check_producer(c, q->node, 0));
    if (!before || !before->restores) {
      continue;
    }
    const bool same = tarei_check_same(before, q);
    tarei_check_add(c, same ? TARE_SEVERITY_NOTE : TARE_SEVERITY_WARNING, q->node,
                    "quantize the value once",
                    same ? "quantizes again what DequantizeLinear '%s' restores, with the same "
                           "parameters"
                         : "quantizes again what DequantizeLinear '%s' restores, with other "
                           "parameters: values are rounded twice",
                    tarei_check_name(c, before->node));
  }
}

const tarei_check_rule tarei_check_double = {"double", run_double};
