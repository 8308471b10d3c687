/* Attributes that a mutation gives to a node: of any kind and operator, with values of theirs. */
#include <string.h>

#include "fuzz/mutate_onnx.h"

static const char *const integer_names[] = {"axis",
                                            "to",
                                            "keepdims",
                                            "group",
                                            "hidden_size",
                                            "layout",
                                            "k",
                                            "start",
                                            "end",
                                            "num_heads",
                                            "q_num_heads",
                                            "kv_num_heads",
                                            "is_causal",
                                            "reverse",
                                            "exclusive",
                                            "batch_dims",
                                            "largest",
                                            "sorted",
                                            "transA",
                                            "transB",
                                            "num_scan_inputs",
                                            "block_size",
                                            "blocksize",
                                            "ceil_mode",
                                            "count_include_pad",
                                            "linear_before_reset",
                                            "input_forget",
                                            "allowzero",
                                            "onesided",
                                            "inverse",
                                            "noop_with_empty_axes",
                                            "select_last_index",
                                            "num_outputs",
                                            "num_groups",
                                            "stash_type",
                                            "align_corners",
                                            "antialias",
                                            "exclude_outside",
                                            "upper",
                                            "bits",
                                            "accuracy_level",
                                            "K",
                                            "N",
                                            "unidirectional",
                                            "local_window_size",
                                            "do_rotary",
                                            "interleaved",
                                            "rotary_embedding_dim",
                                            "output_dtype"};

static const char *const list_names[] = {"axes",
                                         "pads",
                                         "strides",
                                         "dilations",
                                         "kernel_shape",
                                         "perm",
                                         "output_shape",
                                         "output_padding",
                                         "scan_input_axes",
                                         "split",
                                         "scan_output_axes",
                                         "scan_input_directions",
                                         "scan_output_directions",
                                         "steps",
                                         "starts",
                                         "ends",
                                         "repeats",
                                         "border",
                                         "sizes"};

static const char *const real_names[] = {"epsilon",       "alpha",
                                         "beta",          "clip",
                                         "min",           "max",
                                         "value",         "scale",
                                         "gamma",         "bias",
                                         "cubic_coeff_a", "extrapolation_value",
                                         "softcap",       "mask_filter_value",
                                         "spatial_scale"};

/* Name and value. */
static const char *const texts[][2] = {{"mode", "reflect"},
                                       {"mode", "edge"},
                                       {"mode", "wrap"},
                                       {"mode", "constant"},
                                       {"mode", "linear"},
                                       {"mode", "cubic"},
                                       {"mode", "nearest"},
                                       {"mode", "CRD"},
                                       {"auto_pad", "SAME_UPPER"},
                                       {"auto_pad", "SAME_LOWER"},
                                       {"auto_pad", "VALID"},
                                       {"direction", "bidirectional"},
                                       {"direction", "reverse"},
                                       {"direction", "LEFT"},
                                       {"equation", "ij,jk->ik"},
                                       {"equation", "...i,...i->..."},
                                       {"equation", "ii->i"},
                                       {"reduction", "add"},
                                       {"reduction", "max"},
                                       {"coordinate_transformation_mode", "align_corners"},
                                       {"coordinate_transformation_mode", "tf_crop_and_resize"},
                                       {"coordinate_transformation_mode", "half_pixel_symmetric"},
                                       {"coordinate_transformation_mode", "asymmetric"},
                                       {"nearest_mode", "ceil"},
                                       {"keep_aspect_ratio_policy", "not_larger"},
                                       {"padding_mode", "reflection"},
                                       {"approximate", "tanh"}};

#define PICK_OF(list) list[fuzz_pick(sizeof list / sizeof *list)]

static void set_text(Onnx__AttributeProto *const a) {
  const char *const *const text = PICK_OF(texts);
  a->name = (char *)text[0];
  a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
  a->has_s = 1;
  const size_t n = strlen(text[1]);
  a->s.data = fuzz_arena(n); /* to be changed by later mutations */
  a->s.len = a->s.data ? n : 0;
  memcpy(a->s.data ? a->s.data : (uint8_t *)"", text[1], a->s.len);
}

void fuzz_add_attribute(Onnx__NodeProto *const node) {
  Onnx__AttributeProto *const a = fuzz_arena(sizeof *a);
  Onnx__AttributeProto **const all = fuzz_grown(node->attribute, node->n_attribute, sizeof *all);
  if (!a || !all) {
    return;
  }
  onnx__attribute_proto__init(a);
  a->has_type = 1;
  switch (fuzz_pick(5)) {
    case 0:
    case 1:
      a->name = (char *)PICK_OF(integer_names);
      a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
      a->has_i = 1;
      a->i = fuzz_integer(1);
      break;
    case 2:
      a->name = (char *)PICK_OF(list_names);
      a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
      for (uint32_t i = fuzz_pick(5); i > 0; i--) {
        fuzz_mutate_integers(&a->ints, &a->n_ints);
      }
      break;
    case 3:
      a->name = (char *)PICK_OF(real_names);
      a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
      a->has_f = 1;
      a->f = fuzz_real();
      break;
    default:
      set_text(a);
  }
  all[node->n_attribute++] = a;
  node->attribute = all;
}
