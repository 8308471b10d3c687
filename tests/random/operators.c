#include "random/operators.h"

static const operator_row rows[] = {
#define OPERATOR(op, form, types, from) {#op, form_##form, types, from},
#include "random/operators.inc"
#undef OPERATOR
};

static long counts[sizeof rows / sizeof *rows];

int n_operators(void) {
  return (int)(sizeof rows / sizeof *rows);
}

const operator_row *operator_at(const int i) {
  return &rows[i];
}

const long *operator_counts(void) {
  return counts;
}

value *add_random(maker *const m) {
  const int64_t i = pick(m, n_operators());
  if (rows[i].from > m->opset) {
    return NULL;
  }
  value *const v = rows[i].form(m, &rows[i]);
  counts[i] += v != NULL;
  return v;
}
