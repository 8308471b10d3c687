/* One case of the node tests: a folder with model.onnx and test_data_set_<n>/{input,output}_<n>.pb.
 */
#ifndef TAREI_TESTS_CONFORMANCE_NODE_CASE_H
#define TAREI_TESTS_CONFORMANCE_NODE_CASE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct node_case {
  char operator[80];
  char types[120]; /* of inputs and outputs, each once: "float32+int64" */
} node_case;

/* What the model file says; false when it cannot be read. */
bool node_case_describe(const char *folder, node_case *out);

/* Tries all forms of a case and writes two lines, "<result>\t<reason>": first as the file has it,
 * then with symbols for sizes. `reload`: see trial. To be called in a process that may crash. */
void node_case_try(const char *folder, bool dynamic, bool reload, FILE *to);

#endif
