/* Operators and forms of Q/DQ that the model's operator sets do not have, or the target. */
#include <string.h>

#include "graph/check/check.h"
#include "graph/qdq/qdq_version.h"

static const char CONTRIB[] = "com.microsoft";

static void check_domain(tarei_check *const c, const int node) {
  const char *const domain = tarei_onnx_text(c->nodes[node]->domain);
  if (strcmp(domain, CONTRIB) == 0 && !c->target->contrib) {
    tarei_check_add(
        c, TARE_SEVERITY_ERROR, node, "use the operator of ONNX: export with a later opset",
        "is of operator set '%s', which %s does not have", domain, c->target->about.engine);
  }
  if (strcmp(domain, CONTRIB) == 0 && tarei_onnx_file_opset(&c->file, domain) == 0) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, node, "add it to the model's opset_import",
                    "is of operator set '%s', which the model does not import", domain);
  }
}

/* The first version that has all that a quantizer uses. */
static int64_t needed_version(const tarei_quantizer *const q, const char **const what) {
  enum { NIBBLES = 21 };
  const tarei_qdq_needs needs = {
      .real = q->real == TARE_F16 || q->real == TARE_BF16 ? (tare_dtype)q->real : TARE_F32,
      .channels = q->n_scales > 1,
      .bits16 = tarei_check_is_16_bits(q->type)};
  const bool nibbles = q->blocked || strstr(tarei_check_type_name(q->type), "int4");
  *what = q->blocked               ? "a scale for each block"
          : nibbles                ? "4 bits"
          : needs.bits16           ? "16 bits"
          : needs.real != TARE_F32 ? "scales that are not float32"
          : needs.channels         ? "a scale for each channel"
                                   : "it";
  return nibbles ? NIBBLES : tarei_qdq_version(needs);
}

static void check_quantizer_opset(tarei_check *const c, const tarei_quantizer *const q) {
  const char *what;
  const int64_t has = tarei_onnx_file_opset(&c->file, ""), needs = needed_version(q, &what);
  if (!*tarei_onnx_text(c->nodes[q->node]->domain) && has < needs) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "convert the model to that opset",
                    "%s needs opset %lld, the model has %lld", what, (long long)needs,
                    (long long)has);
  }
}

static void run_opset(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    check_domain(c, c->quantizers[i].node);
    check_quantizer_opset(c, &c->quantizers[i]);
  }
  for (int i = 0; i < c->n_layers; i++) {
    if (c->layers[i].severity == TARE_SEVERITY_ERROR && !c->layers[i].int8) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, c->layers[i].node,
                      "write the model with QuantizeLinear and DequantizeLinear", "%s",
                      tarei_str_get(&c->layers[i].reason));
    }
  }
}

const tarei_check_rule tarei_check_opset = {"opset", run_opset};
