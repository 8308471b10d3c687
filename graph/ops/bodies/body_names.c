#include "graph/ops/bodies/body_names.h"

#include <string.h>

static const struct {
  const tarei_op *op;
  const char *attribute;
} body_names[] = {{&tarei_op_if, "then_branch"},
                  {&tarei_op_if, "else_branch"},
                  {&tarei_op_loop, "body"},
                  {&tarei_op_joining_loop, "body"},
                  {&tarei_op_scan, "body"}};

bool tarei_op_has_body(const tarei_op *const op, const char *const attribute) {
  for (size_t i = 0; i < sizeof body_names / sizeof *body_names; i++) {
    if (body_names[i].op == op && strcmp(body_names[i].attribute, attribute) == 0) {
      return true;
    }
  }
  return false;
}
