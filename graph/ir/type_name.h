/* Names of element types for messages. */
#ifndef TAREI_GRAPH_IR_TYPE_NAME_H
#define TAREI_GRAPH_IR_TYPE_NAME_H

#include <stdint.h>

typedef struct tarei_type_name {
  char text[24];
} tarei_type_name;

/* What ONNX calls an element type, also one that tare does not have: "INT4"; else its number. */
tarei_type_name tarei_type_name_of(int64_t type);

#endif
