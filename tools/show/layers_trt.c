/*
 * The layers with the keys of TensorRT's engine inspector (IEngineInspector, profiling verbosity
 * detailed), so that scripts that read `trtexec --exportLayerInfo` read them. The lists of inputs
 * and outputs are given in the form of TensorRT 8 and 10 ("Bindings") and in that of 11 ("I/O
 * Tensors").
 */
#include <stdlib.h>
#include <string.h>

#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"

/* What TensorRT calls layers that do the same; others keep their name. */
static const char *parameter_type(const char *const op) {
  static const struct {
    const char *op, *type;
  } TYPES[] = {{"Conv", "Convolution"},
               {"ConvLast", "Convolution"},
               {"QConvLast", "Convolution"},
               {"MatMul", "MatrixMultiply"},
               {"Gemm", "MatrixMultiply"},
               {"Linear", "MatrixMultiply"},
               {"QLinear", "MatrixMultiply"},
               {"QMatMul", "MatrixMultiply"},
               {"Quantize", "Reformat"},
               {"QuantizeRows", "Reformat"},
               {"Dequantize", "Reformat"},
               {"Transpose", "Shuffle"},
               {"Reshape", "Shuffle"},
               {"Softmax", "SoftMax"},
               {"ScaledSoftmax", "SoftMax"},
               {"Concat", "Concatenation"},
               {"LayerNormalization", "Normalization"},
               {"Add", "ElementWise"},
               {"Sub", "ElementWise"},
               {"Mul", "ElementWise"},
               {"Div", "ElementWise"},
               {"LayerNorm", "Normalization"},
               {"InstanceNormalization", "Normalization"}};
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    if (strcmp(TYPES[i].op, op) == 0) {
      return TYPES[i].type;
    }
  }
  return op;
}

/* Number of the weights among the inputs; -1: there are none. */
static int trt_weights_input(const tare_layer *const layer) {
  for (int t = 0; t < layer->n_inputs && layer->weights != TARE_DTYPE_NONE; t++) {
    if (layer->inputs[t].constant && layer->inputs[t].dtype == layer->weights) {
      return t;
    }
  }
  return -1;
}

/* One whose kernel is known; TensorRT says of no other what it is. */
static bool is_convolution(const tare_layer *const layer) {
  const int t = trt_weights_input(layer);
  return strcmp(parameter_type(layer->op), "Convolution") == 0 && t >= 0 &&
         layer->inputs[t].rank > 2;
}

static bool is_channels_last(const tare_layer *const layer) {
  return is_convolution(layer) && cli_ends_with(layer->op, "Last");
}

/* Quantized activations are int8 in TensorRT, whatever their zero point is here. */
static const char *format_of(const tare_layer_tensor *const t, const bool channels_last) {
  static const struct {
    tare_dtype dtype;
    const char *format;
  } FORMATS[] = {{TARE_F32, "Row major linear FP32"},
                 {TARE_F16, "Row major linear FP16 format"},
                 {TARE_BF16, "Row major linear BFloat16 format"},
                 {TARE_F64, "Double"},
                 {TARE_I8, "Row major Int8 format"},
                 {TARE_U8, "Row major linear UInt8 format"},
                 {TARE_I16, "Int16"},
                 {TARE_U16, "UInt16"},
                 {TARE_I32, "Row major linear Int32"},
                 {TARE_U32, "UInt32"},
                 {TARE_I64, "Row major linear Int64 format"},
                 {TARE_U64, "UInt64"},
                 {TARE_BOOL, "Row major linear BOOL"}};
  if (t->n_scales) {
    return channels_last ? "Channel major Int8 format" : "Row major Int8 format";
  }
  if (channels_last && t->dtype == TARE_F32) {
    return "Channel major FP32 format";
  }
  for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
    if (FORMATS[i].dtype == t->dtype) {
      return FORMATS[i].format;
    }
  }
  return "Unknown format";
}

/* The name of a type of weights and of inputs and outputs. */
static const char *trt_type_of(const tare_dtype dtype) {
  static const struct {
    tare_dtype dtype;
    const char *name;
  } NAMES[] = {{TARE_F32, "Float"},  {TARE_F16, "Half"},   {TARE_BF16, "BFloat16"},
               {TARE_F64, "Double"}, {TARE_I8, "Int8"},    {TARE_U8, "UInt8"},
               {TARE_I16, "Int16"},  {TARE_U16, "UInt16"}, {TARE_I32, "Int32"},
               {TARE_U32, "UInt32"}, {TARE_I64, "Int64"},  {TARE_U64, "UInt64"},
               {TARE_BOOL, "Bool"}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    if (NAMES[i].dtype == dtype) {
      return NAMES[i].name;
    }
  }
  return "Unknown";
}

/* Profile 0 has plain names. */
static void name_json(cJSON *const object, const char *const key, const char *const name,
                      const int profile) {
  char *const text =
      profile ? cli_format("%s [profile %d]", name, profile) : cli_format("%s", name);
  json_text(object, key, text);
  free(text);
}

static void trt_dims(cJSON *const object, const char *const key, const int64_t *const dims,
                     const int rank) {
  cJSON *const list = json_add(object, key, json_array());
  for (int d = 0; d < rank; d++) {
    json_int(list, NULL, dims[d]);
  }
}

/* TensorRT has convolutions over two axes at least: a single one is the second of them. */
static void trt_space(cJSON *const list, const int64_t *const dims, const int n) {
  if (n == 1) {
    json_int(list, NULL, 1);
  }
  for (int d = 0; d < n; d++) {
    json_int(list, NULL, dims[d]);
  }
}

/* Those of a convolution begin with the batch and the channels, wherever the channels are. */
static void trt_dims_of(cJSON *const object, const tare_layer *const layer,
                        const int64_t *const dims, const int rank) {
  if (!is_convolution(layer) || rank < 3) {
    trt_dims(object, "Dimensions", dims, rank);
    return;
  }
  const bool last = is_channels_last(layer);
  cJSON *const list = json_add(object, "Dimensions", json_array());
  json_int(list, NULL, dims[0]);
  json_int(list, NULL, dims[last ? rank - 1 : 1]);
  trt_space(list, dims + (last ? 1 : 2), rank - 2);
}

/* The tensor that is an output of the plan, also where that is a view of it, has its name. */
static const char *trt_name_of(const tare_plan *const plan, const char *const memory) {
  const tare_port *ports = NULL;
  const int n = tare_plan_outputs(plan, &ports);
  for (int i = 0; i < n; i++) {
    if (strcmp(tare_plan_memory_of(plan, ports[i].name), memory) == 0) {
      return ports[i].name;
    }
  }
  return memory;
}

static tare_status trt_tensors(cJSON *const list, const tare_plan *const plan, const int i,
                               const bool outputs, const int profile, tare_error *const err) {
  const tare_layer layer = tare_plan_layer(plan, i);
  int64_t values[TARE_MAX_SYMBOLS], dims[TARE_MAX_RANK];
  profile_values(tare_plan_profiles(plan), profile, POINT_OPT, values);
  for (int t = 0; t < (outputs ? layer.n_outputs : layer.n_inputs); t++) {
    const tare_layer_tensor *const tensor = outputs ? &layer.outputs[t] : &layer.inputs[t];
    if (!tensor->constant) {
      const int number = outputs ? layer.n_inputs + t : t;
      CLI_TRY(tare_plan_layer_dims(plan, i, number, values, dims, err));
      cJSON *const item = json_add(list, NULL, json_object());
      name_json(item, "Name", trt_name_of(plan, tensor->memory), profile);
      json_text(item, "Location", "Host");
      trt_dims_of(item, &layer, dims, tensor->rank);
      json_text(item, "Format/Datatype", format_of(tensor, is_channels_last(&layer)));
    }
  }
  return TARE_OK;
}

static void trt_constant(cJSON *const object, const char *const key,
                         const tare_layer_tensor *const tensor, const int64_t *const dims) {
  tare_tensor x = {.rank = tensor->rank};
  memcpy(x.dims, dims, sizeof x.dims);
  cJSON *const constant = json_add(object, key, json_object());
  json_text(constant, "Type", trt_type_of(tensor->dtype));
  json_int(constant, "Count", tare_tensor_count(&x));
}

/* What follows from the weights of a convolution, [outputs][space][channels] with the channels last
 * and [outputs][channels][space] otherwise. */
static void trt_convolution(cJSON *const object, const tare_layer *const layer, const int rank,
                            const int64_t *const weights, const int64_t *const x) {
  const bool last = is_channels_last(layer);
  const int64_t channels = x[last ? rank - 1 : 1], of_group = weights[last ? rank - 1 : 1];
  trt_space(json_add(object, "Kernel", json_array()), weights + (last ? 1 : 2), rank - 2);
  json_int(object, "OutMaps", weights[0]);
  json_int(object, "Groups", of_group > 0 ? channels / of_group : 1);
}

/* Elements of the weights, which have the type that the layer names, and of the bias behind them.
 */
static tare_status trt_weights(cJSON *const object, const tare_plan *const plan, const int i,
                               tare_error *const err) {
  const tare_layer layer = tare_plan_layer(plan, i);
  int64_t values[TARE_MAX_SYMBOLS], x[TARE_MAX_RANK] = {0}, dims[TARE_MAX_RANK] = {0};
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  const int t = trt_weights_input(&layer);
  if (t < 0) {
    return TARE_OK;
  }
  CLI_TRY(tare_plan_layer_dims(plan, i, 0, values, x, err));
  CLI_TRY(tare_plan_layer_dims(plan, i, t, values, dims, err));
  trt_constant(object, "Weights", &layer.inputs[t], dims);
  if (!is_convolution(&layer)) {
    return TARE_OK;
  }
  trt_convolution(object, &layer, layer.inputs[t].rank, dims, x);
  const bool bias = t + 1 < layer.n_inputs && layer.inputs[t + 1].constant;
  json_bool(object, "HasBias", bias);
  if (bias) {
    CLI_TRY(tare_plan_layer_dims(plan, i, t + 1, values, dims, err));
    trt_constant(object, "Bias", &layer.inputs[t + 1], dims);
  }
  return TARE_OK;
}

static void trt_metadata(cJSON *const object, const tare_layer *const layer) {
  char *text = cli_format("%s", "");
  for (int i = 0; i < layer->n_origins; i++) {
    text = cli_append(text, "%s[ONNX Layer: %s]", i ? "\x1E" : "", layer->origins[i]);
  }
  json_text(object, "Metadata", text);
  free(text);
}

static tare_status trt_layer(cJSON *const item, const tare_plan *const plan, const int i,
                             const int profile, tare_error *const err) {
  const tare_layer layer = tare_plan_layer(plan, i);
  name_json(item, "Name", layer.name, profile);
  json_text(item, "LayerType", layer.op);
  CLI_TRY(trt_tensors(json_add(item, "Inputs", json_array()), plan, i, false, profile, err));
  CLI_TRY(trt_tensors(json_add(item, "Outputs", json_array()), plan, i, true, profile, err));
  const char *const type = parameter_type(layer.op);
  const bool unknown = strcmp(type, "Convolution") == 0 && !is_convolution(&layer);
  json_text(item, "ParameterType", unknown ? layer.op : type);
  if (strcmp(type, "Reformat") == 0) {
    json_text(item, "Origin", "QDQ");
  }
  CLI_TRY(trt_weights(item, plan, i, err));
  json_text(item, "Precision", layer.precision);
  json_text(item, "TacticName", layer_kernel(&layer));
  json_int(item, "StreamId", 0);
  trt_metadata(item, &layer);
  return TARE_OK;
}

/* --- inputs and outputs ----------------------------------------------------------------------- */

static tare_status trt_profile(cJSON *const item, const tare_plan *const plan,
                               const tare_port *const port, const int profile,
                               tare_error *const err) {
  static const char *const KEYS[N_POINTS] = {"MinShape", "OptShape", "MaxShape"};
  const tare_layer_tensor t = {.dtype = port->dtype};
  for (int p = 0; p < N_POINTS; p++) {
    int64_t values[TARE_MAX_SYMBOLS], dims[TARE_MAX_RANK];
    profile_values(tare_plan_profiles(plan), profile, (profile_point)p, values);
    CLI_TRY(tare_plan_port_dims(plan, port->name, values, dims, err));
    trt_dims(item, KEYS[p], dims, port->rank);
  }
  json_text(item, "Format", format_of(&t, false));
  return TARE_OK;
}

static tare_status trt_port(cJSON *const item, const tare_plan *const plan,
                            const tare_port *const port, const bool output, tare_error *const err) {
  json_text(item, "Name", port->name);
  json_text(item, "IOMode", output ? "Output" : "Input");
  json_text(item, "DataType", trt_type_of(port->dtype));
  int64_t dims[TARE_MAX_RANK];
  for (int d = 0; d < port->rank; d++) {
    dims[d] = port->dims[d].value;
  }
  trt_dims(item, "Dimensions", dims, port->rank);
  json_text(item, "Location", "Host");
  json_bool(item, "IsShapeInferenceIO", false);
  cJSON *const profiles = json_add(item, "ProfileInfo", json_array());
  for (int p = 0; p < tare_profiles_count(tare_plan_profiles(plan)); p++) {
    CLI_TRY(trt_profile(json_add(profiles, NULL, json_object()), plan, port, p, err));
  }
  return TARE_OK;
}

static tare_status trt_ports(cJSON *const bindings, cJSON *const tensors,
                             const tare_plan *const plan, const bool output,
                             tare_error *const err) {
  const tare_port *ports = NULL;
  const int n = (output ? tare_plan_outputs : tare_plan_inputs)(plan, &ports);
  for (int i = 0; i < n; i++) {
    for (int p = 0; p < tare_profiles_count(tare_plan_profiles(plan)); p++) {
      name_json(bindings, NULL, ports[i].name, p);
    }
    CLI_TRY(trt_port(json_add(tensors, NULL, json_object()), plan, &ports[i], output, err));
  }
  return TARE_OK;
}

tare_status layers_trt(const tare_plan *const plan, cJSON *const object, tare_error *const err) {
  cJSON *const layers = json_add(object, "Layers", json_array());
  for (int p = 0; p < tare_profiles_count(tare_plan_profiles(plan)); p++) {
    for (int i = 0; i < tare_plan_n_layers(plan); i++) {
      CLI_TRY(trt_layer(json_add(layers, NULL, json_object()), plan, i, p, err));
    }
  }
  cJSON *const bindings = json_add(object, "Bindings", json_array());
  cJSON *const tensors = json_add(object, "I/O Tensors", json_array());
  CLI_TRY(trt_ports(bindings, tensors, plan, false, err));
  return trt_ports(bindings, tensors, plan, true, err);
}
