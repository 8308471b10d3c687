#include "tools/show/layer_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void profile_values(const tare_profiles *const profiles, const int profile,
                    const profile_point point, int64_t values[TARE_MAX_SYMBOLS]) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, profile, s);
    values[s] = point == POINT_MIN ? r.min : point == POINT_OPT ? r.opt : r.max;
  }
}

/* --- work ------------------------------------------------------------------------------------- */

static tare_status layer_tensor_bytes(const tare_plan *const plan, const int layer,
                                      const int tensor, const tare_layer_tensor *const t,
                                      const int64_t *const values, double *const bytes,
                                      tare_error *const err) {
  int64_t dims[TARE_MAX_RANK] = {0};
  CLI_TRY(tare_plan_layer_dims(plan, layer, tensor, values, dims, err));
  *bytes = (double)tare_dtype_size(t->dtype);
  for (int d = 0; d < t->rank; d++) {
    *bytes *= dims[d] < 0 ? 0 : (double)dims[d];
  }
  return TARE_OK;
}

tare_status layer_work_at(const tare_plan *const plan, const int layer, const int64_t *const values,
                          layer_work *const out, tare_error *const err) {
  const tare_layer l = tare_plan_layer(plan, layer);
  double operations = 0, read = 0, written = 0;
  CLI_TRY(tare_plan_layer_operations(plan, layer, values, &operations, err));
  for (int i = 0; i < l.n_inputs + l.n_outputs; i++) {
    const bool input = i < l.n_inputs;
    const tare_layer_tensor *const t = input ? &l.inputs[i] : &l.outputs[i - l.n_inputs];
    double bytes = 0;
    CLI_TRY(layer_tensor_bytes(plan, layer, i, t, values, &bytes, err));
    *(input ? &read : &written) += t->constant ? 0 : bytes;
  }
  const double constants = (double)l.weight_bytes;
  *out = (layer_work){.macs = operations / 2, .bytes = read + written};
  out->bytes += operations > 0 || constants < written ? constants : written;
  return TARE_OK;
}

bool tensor_is_quantized(const tare_layer_tensor *const tensor) {
  return tensor->n_scales > 0 || tensor->row_scales;
}

bool layer_only_converts(const tare_layer *const layer) {
  static const char *const OPS[] = {"Quantize",       "QuantizeRows",          "Dequantize",
                                    "QuantizeLinear", "DynamicQuantizeLinear", "DequantizeLinear"};
  for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
    if (strcmp(layer->op, OPS[i]) == 0) {
      return true;
    }
  }
  return false;
}

static precision_sum *precision_sum_of(precision_sum *const sums, int *const n,
                                       const char *const precision) {
  for (int i = 0; i < *n; i++) {
    if (strcmp(sums[i].precision, precision) == 0) {
      return &sums[i];
    }
  }
  sums[*n] = (precision_sum){.precision = precision};
  return &sums[(*n)++];
}

static void precision_sum_add(precision_sum *const sum, const precision_sum *const one) {
  sum->layers += one->layers;
  sum->macs += one->macs;
  sum->weight_bytes += one->weight_bytes;
  sum->ms += one->ms;
}

tare_status precision_sums(const tare_plan *const plan, const double *const ms,
                           precision_sum **const sums, int *const n, tare_error *const err) {
  const int n_layers = tare_plan_n_layers(plan);
  int64_t values[TARE_MAX_SYMBOLS];
  precision_sum all = {.precision = "all"};
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  precision_sum *const parts = cli_realloc(NULL, (size_t)n_layers + 1, sizeof *parts);
  *sums = NULL;
  *n = 0;
  for (int i = 0; i < n_layers; i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    layer_work work;
    const tare_status status = layer_work_at(plan, i, values, &work, err);
    if (status != TARE_OK) {
      free(parts);
      return status;
    }
    const precision_sum one = {
        .layers = 1, .macs = work.macs, .weight_bytes = layer.weight_bytes, .ms = ms ? ms[i] : 0};
    precision_sum_add(precision_sum_of(parts, n, layer.precision), &one);
    precision_sum_add(&all, &one);
  }
  parts[*n] = all;
  *sums = parts;
  return TARE_OK;
}

double precision_share(const precision_sum *const sums, const int n, const char *const begin) {
  double macs = 0;
  for (int i = 0; i < n; i++) {
    macs += strncmp(sums[i].precision, begin, strlen(begin)) == 0 ? sums[i].macs : 0;
  }
  return sums[n].macs > 0 ? macs / sums[n].macs : NAN;
}

/* --- texts ------------------------------------------------------------------------------------ */

static bool has_stated(const tare_layer *const layer) {
  bool stated = false;
  for (int i = 0; i < layer->n_inputs; i++) {
    stated |= layer->inputs[i].n_scales > 0 && layer->inputs[i].stated;
  }
  return stated;
}

static bool has_bytes(const tare_layer_tensor *const tensors, const int n) {
  bool bytes = false;
  for (int i = 0; i < n; i++) {
    bytes |= tensor_is_quantized(&tensors[i]);
  }
  return bytes;
}

/* Of a layer without an int8 form. */
static const char *why_moved(const tare_layer *const layer) {
  const bool in = has_bytes(layer->inputs, layer->n_inputs);
  const bool out = has_bytes(layer->outputs, layer->n_outputs);
  return in && out ? "works on the bytes that it reads"
         : out     ? "computes in float and writes the bytes that int8 layers read"
         : in      ? "reads bytes and computes in float"
                   : "has no int8 form";
}

char *layer_why(const tare_layer *const layer) {
  const bool asked = layer->asked == layer->got;
  const char *why = layer->reason;
  if (!*why) {
    switch (layer->got) {
      case TARE_PRECISION_ANY:
        why = why_moved(layer);
        break;
      case TARE_PRECISION_FP32:
        why = asked ? "requested" : "the plan has no scales";
        break;
      case TARE_PRECISION_INT8:
        why = has_stated(layer) ? "scales of the model (Q/DQ)" : "scales of the calibration table";
        break;
      default:
        why = "requested";
    }
  }
  return asked || layer->asked == TARE_PRECISION_ANY
             ? cli_format("%s", why)
             : cli_format("instead of %s: %s", tare_precision_name(layer->asked), why);
}

const char *dtype_short_name(const tare_dtype dtype) {
  static const struct {
    tare_dtype dtype;
    const char *name;
  } NAMES[] = {{TARE_F32, "f32"},  {TARE_U8, "u8"},   {TARE_I8, "s8"},   {TARE_U16, "u16"},
               {TARE_I16, "s16"},  {TARE_I32, "s32"}, {TARE_I64, "s64"}, {TARE_BOOL, "bool"},
               {TARE_F16, "f16"},  {TARE_F64, "f64"}, {TARE_U32, "u32"}, {TARE_U64, "u64"},
               {TARE_BF16, "bf16"}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    if (NAMES[i].dtype == dtype) {
      return NAMES[i].name;
    }
  }
  return "-";
}

const char *weight_type_name(const tare_dtype dtype) {
  return dtype == TARE_F32    ? tare_precision_name(TARE_PRECISION_FP32)
         : dtype == TARE_F16  ? tare_precision_name(TARE_PRECISION_FP16)
         : dtype == TARE_BF16 ? tare_precision_name(TARE_PRECISION_BF16)
                              : tare_dtype_name(dtype);
}

/* Each type once, in order of first use. */
char *layer_types(const tare_layer_tensor *const tensors, const int n) {
  char *text = cli_format("%s", "");
  for (int i = 0; i < n; i++) {
    bool seen = tensors[i].constant;
    for (int j = 0; j < i && !seen; j++) {
      seen = !tensors[j].constant && tensors[j].dtype == tensors[i].dtype;
    }
    if (!seen) {
      text = cli_append(text, "%s%s", *text ? " " : "", dtype_short_name(tensors[i].dtype));
    }
  }
  return *text ? text : cli_append(text, "-");
}

const char *layer_kernel(const tare_layer *const layer) {
  static const char PREFIX[] = "tarei_k_";
  const size_t n = strncmp(layer->kernel, PREFIX, sizeof PREFIX - 1) ? 0 : sizeof PREFIX - 1;
  return *layer->kernel ? layer->kernel + n : "-";
}

char *dims_text(const int64_t *const dims, const int rank) {
  char *text = cli_format("[");
  for (int d = 0; d < rank; d++) {
    text = cli_append(text, "%s", d ? ", " : "");
    text = dims[d] < 0 ? cli_append(text, "?") : cli_append(text, "%" PRId64, dims[d]);
  }
  return cli_append(text, "]");
}
