/* A model, the inputs of some lengths, and what they must give. */
#ifndef TAREI_TESTS_RANDOM_RANDOM_CASE_H
#define TAREI_TESTS_RANDOM_RANDOM_CASE_H

#include "random/walker.h"

enum { MAX_SETS = 3, MAX_CASE_PORTS = 16, MAX_SPECS = 3, SPEC_BYTES = 80 };

/* Owns the model and the names and tensors. */
typedef struct random_case {
  Onnx__ModelProto *model;
  int opset, n_sets, n_in, n_out, n_specs;
  char *in_names[MAX_CASE_PORTS], *out_names[MAX_CASE_PORTS];
  tare_tensor in[MAX_SETS][MAX_CASE_PORTS], out[MAX_SETS][MAX_CASE_PORTS];
  char specs[MAX_SPECS][SPEC_BYTES]; /* profiles */
} random_case;

/* The same for a seed, whatever was made before; false where nothing came of it. */
bool random_case_make(random_case *c, uint64_t seed);
void random_case_free(random_case *c);

/* Outputs of another model with the same inputs, by the walker; false with `why`. */
bool random_case_derive(const random_case *c, Onnx__ModelProto *model, random_case *out, char *why);

/* Writes model.onnx and test_data_set_<i>/{input,output}_<k>.pb into a folder, which is made. */
bool random_case_write(const random_case *c, const char *folder);

#endif
