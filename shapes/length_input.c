#include "shapes/length_input.h"

#include <string.h>

#include "base/error.h"
#include "shapes/axis_name.h"
#include "shapes/number.h"
#include "shapes/profile_set.h"

/* Element i of `data`, which becomes a length of `run`; *value receives what it is. False where it
 * is no length of `own`. */
typedef bool follow_fn(void *data, size_t i, int64_t own, int64_t run, double *value);

/* A count stays where there is room for it. */
#define FOLLOW_COUNT(name, type)                                                           \
  static bool name(void *const data, const size_t i, const int64_t own, const int64_t run, \
                   double *const value) {                                                  \
    type *const x = (type *)data + i;                                                      \
    const bool sound = *x >= 0 && *x <= own;                                               \
    *value = (double)*x;                                                                   \
    *x = *x > run ? (type)run : *x;                                                        \
    return sound;                                                                          \
  }
FOLLOW_COUNT(follow_i32, int32_t)
FOLLOW_COUNT(follow_i64, int64_t)

/* A share of the axis is of another axis then. */
#define FOLLOW_SHARE(name, type)                                                           \
  static bool name(void *const data, const size_t i, const int64_t own, const int64_t run, \
                   double *const value) {                                                  \
    type *const x = (type *)data + i;                                                      \
    const bool sound = *x >= 0 && *x <= 1;                                                 \
    const double left = (double)*x * (double)own / (double)run;                            \
    *value = (double)*x;                                                                   \
    *x = own == run ? *x : left < 1 ? (type)left : 1;                                      \
    return sound;                                                                          \
  }
FOLLOW_SHARE(follow_f32, float)
FOLLOW_SHARE(follow_f64, double)

typedef struct length_type {
  tare_dtype dtype;
  bool counts; /* else shares */
  follow_fn *follow;
} length_type;

static const length_type types[] = {{TARE_I64, true, follow_i64},
                                    {TARE_I32, true, follow_i32},
                                    {TARE_F32, false, follow_f32},
                                    {TARE_F64, false, follow_f64}};

static const length_type *type_of(const tare_dtype dtype) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].dtype == dtype) {
      return &types[i];
    }
  }
  return NULL;
}

bool tarei_is_length_dtype(const tare_dtype dtype) {
  const length_type *const type = type_of(dtype);
  return type && type->counts;
}

static bool length_input_has_symbol(const tare_port *const port, const char *const symbol) {
  for (int axis = 0; axis < port->rank; axis++) {
    if (port->dims[axis].symbol && strcmp(port->dims[axis].symbol, symbol) == 0) {
      return true;
    }
  }
  return false;
}

static bool any_has_symbol(const tare_port *const inputs, const int n, const char *const symbol) {
  for (int i = 0; i < n; i++) {
    if (length_input_has_symbol(&inputs[i], symbol)) {
      return true;
    }
  }
  return false;
}

static tare_status check_one(const tare_length_input *const item, const tare_port *const inputs,
                             const int n_inputs, tare_error *const err) {
  const int input = tarei_find_port(inputs, n_inputs, item->input, strlen(item->input));
  if (input < 0) {
    return tarei_fail_unknown_input(inputs, n_inputs, item->input, err);
  }
  if (!any_has_symbol(inputs, n_inputs, item->symbol)) {
    return tarei_fail(err, TARE_E_USAGE, "no input has an axis '%s'", item->symbol);
  }
  if (length_input_has_symbol(&inputs[input], item->symbol)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "has axis '%s' itself: expected an input with one length per sample",
                      item->symbol);
  }
  if (!type_of(inputs[input].dtype)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "is %s: expected int32 or int64 for lengths, float32 or float64 for shares",
                      tare_dtype_name(inputs[input].dtype));
  }
  return TARE_OK;
}

tare_status tarei_length_inputs_check(const tare_length_input *const items, const int n,
                                      const tare_port *const inputs, const int n_inputs,
                                      tare_error *const err) {
  for (int i = 0; i < n; i++) {
    const tare_status status = check_one(&items[i], inputs, n_inputs, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "length input '%s'", items[i].input);
    }
    if (tarei_length_input_of(items, i, items[i].input)) {
      return tarei_fail(err, TARE_E_USAGE, "duplicate length input '%s'", items[i].input);
    }
  }
  return TARE_OK;
}

const tare_length_input *tarei_length_input_of(const tare_length_input *const items, const int n,
                                               const char *const input) {
  for (int i = 0; i < n; i++) {
    if (strcmp(items[i].input, input) == 0) {
      return &items[i];
    }
  }
  return NULL;
}

tare_status tarei_length_input_follow(const tare_length_input *const item, const int64_t own,
                                      const int64_t run, const tare_tensor *const lengths,
                                      tare_error *const err) {
  const length_type *const type = type_of(lengths->dtype);
  const size_t n = (size_t)tare_tensor_count(lengths);
  for (size_t i = 0; i < n; i++) {
    double value;
    if (!type->follow(lengths->data, i, own, run, &value)) {
      return tarei_fail(
          err, TARE_E_INPUT,
          "length input '%s' holds %g: expected a %s of '%s', which has length %lld: 0..%lld",
          item->input, value, type->counts ? "length" : "share", item->symbol, (long long)own,
          type->counts ? (long long)own : 1LL);
    }
  }
  return TARE_OK;
}

bool tarei_lengths_equal(const tare_tensor *const lengths, const int64_t own) {
  const int64_t n = tare_tensor_count(lengths);
  for (int64_t i = 0; i < n; i++) {
    if (tarei_index_at(lengths, i) != own) {
      return false;
    }
  }
  return n > 0;
}

/* A symbol, or the symbol of an axis. */
static tare_status length_input_find_symbol(const char *const text, const char *const name,
                                            const tare_port *const inputs, const int n_inputs,
                                            const char **const symbol, tare_error *const err) {
  int input;
  int64_t axis;
  for (int k = 0; k < n_inputs; k++) {
    for (int d = 0; d < inputs[k].rank; d++) {
      *symbol = inputs[k].dims[d].symbol;
      if (*symbol && strcmp(*symbol, name) == 0) {
        return TARE_OK;
      }
    }
  }
  if (!tarei_parse_axis(inputs, n_inputs, name, strlen(name), &input, &axis)) {
    return tarei_fail(err, TARE_E_USAGE, "length input '%s': '%s' is neither a symbol nor an input",
                      text, name);
  }
  if (axis < 0 || axis >= inputs[input].rank) {
    return tarei_fail(err, TARE_E_USAGE, "length input '%s': input '%s' has rank %d", text,
                      inputs[input].name, inputs[input].rank);
  }
  *symbol = inputs[input].dims[axis].symbol;
  return *symbol ? TARE_OK
                 : tarei_fail(err, TARE_E_USAGE, "length input '%s': axis %lld of '%s' is fixed",
                              text, (long long)axis, inputs[input].name);
}

tare_status tare_length_input_parse(const char *const text, const tare_port *const inputs,
                                    const int n_inputs, tare_length_input *const out,
                                    tare_error *const err) {
  for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
    const int input = tarei_find_port(inputs, n_inputs, text, (size_t)(at - text));
    if (input < 0) {
      continue;
    }
    *out = (tare_length_input){.input = inputs[input].name};
    TAREI_TRY(length_input_find_symbol(text, at + 1, inputs, n_inputs, &out->symbol, err));
    return tarei_length_inputs_check(out, 1, inputs, n_inputs, err);
  }
  return tarei_fail(err, TARE_E_USAGE,
                    "length input '%s': expected INPUT=AXIS with an input of the model", text);
}
