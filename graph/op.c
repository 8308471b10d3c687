#include "graph/op.h"

#include <assert.h>
#include <string.h>

static const tarei_op *const ops[] = {
#define TAREI_OP(id) [TAREI_OP_##id] = &tarei_op_##id,
#include "graph/ops.inc"
#include "graph/expansions.inc"
#undef TAREI_OP
};

bool tarei_is_default_domain(const char *const domain) {
  return !*domain || strcmp(domain, "ai.onnx") == 0;
}

const char *tarei_op_domain(const char *const domain) {
  return tarei_is_default_domain(domain) ? "" : domain;
}

const tarei_op *tarei_op_find(const char *const name, const char *const domain) {
  const char *const wanted = tarei_op_domain(domain);
  for (int i = 0; i < TAREI_OP_COUNT; i++) {
    if (ops[i] && strcmp(ops[i]->name, name) == 0 && strcmp(ops[i]->domain, wanted) == 0) {
      return ops[i];
    }
  }
  return NULL;
}

const tarei_op *tarei_op_at(const tarei_op_id id) {
  assert(id < TAREI_OP_COUNT);
  return ops[id];
}

tarei_op_id tarei_op_id_of(const tarei_op *const op) {
  for (int i = 0; i < TAREI_OP_COUNT; i++) {
    if (ops[i] == op) {
      return (tarei_op_id)i;
    }
  }
  assert(!"an operator without a row");
  return TAREI_OP_COUNT;
}

const tarei_int8_form *tarei_op_int8_form(const tarei_op *const op) {
  for (int i = 0; i < TAREI_OP_COUNT && !op->int8; i++) {
    if (ops[i] && ops[i]->int8 && ops[i]->int8->op == op) {
      return ops[i]->int8;
    }
  }
  return op->int8;
}
