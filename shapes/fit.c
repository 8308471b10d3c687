#include "shapes/fit.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/length_input.h"
#include "shapes/number.h"
#include "shapes/pad_value.h"
#include "shapes/policy.h"
#include "shapes/profile_set.h"

static const tare_port *fit_find_input(const tare_port *const inputs, const int n_inputs,
                                       const char *const name) {
  for (int i = 0; i < n_inputs; i++) {
    if (strcmp(inputs[i].name, name) == 0) {
      return &inputs[i];
    }
  }
  return NULL;
}

tare_status tarei_fit_check(const tarei_fit_options *const options, const tare_port *const inputs,
                            const int n_inputs, tare_error *const err) {
  for (int i = 0; i < options->n_pad_values; i++) {
    const tare_pad_value *const pad = &options->pad_values[i];
    const tare_port *const port = fit_find_input(inputs, n_inputs, pad->input);
    if (!port) {
      (void)tarei_fail_unknown_input(inputs, n_inputs, pad->input, err);
      return tarei_fail_in(err, TARE_E_USAGE, "pad value %g", pad->value);
    }
    TAREI_TRY(tarei_pad_value_check(pad, port->dtype, err));
    for (int k = 0; k < i; k++) {
      if (strcmp(options->pad_values[k].input, pad->input) == 0) {
        return tarei_fail(err, TARE_E_USAGE, "duplicate pad value for input '%s'", pad->input);
      }
    }
  }
  if (options->streaming && options->n_length_inputs) {
    return tarei_fail(err, TARE_E_USAGE,
                      "length input '%s' and streaming are mutually exclusive: lengths are those "
                      "of whole samples",
                      options->length_inputs[0].input);
  }
  if (options->streaming && options->outside == TARE_OUTSIDE_SKIP) {
    return tarei_fail(err, TARE_E_USAGE,
                      "outside skip and streaming are mutually exclusive: profiles are for chunks "
                      "(leave samples out by their lengths)");
  }
  return tarei_length_inputs_check(options->length_inputs, options->n_length_inputs, inputs,
                                   n_inputs, err);
}

static double pad_value_of(const tarei_fit_options *const options, const char *const input) {
  for (int i = 0; i < options->n_pad_values; i++) {
    if (strcmp(options->pad_values[i].input, input) == 0) {
      return options->pad_values[i].value;
    }
  }
  return 0;
}

/* Source and destination of one tensor, in elements along the port's axes. */
typedef struct box_copy {
  int rank;
  int64_t from[TARE_MAX_RANK], to[TARE_MAX_RANK];
  size_t from_step[TARE_MAX_RANK], to_step[TARE_MAX_RANK]; /* elements from index to index */
  size_t size;                                             /* bytes of an element */
  tare_dtype dtype;
  double pad;
} box_copy;

/* Copies what both boxes have along an axis and the ones inside it, and pads the rest. */
static void copy_axis(const box_copy *const box, const int axis, const char *const from,
                      char *const to) {
  const size_t step = box->to_step[axis];
  const size_t kept = (size_t)(box->from[axis] < box->to[axis] ? box->from[axis] : box->to[axis]);
  if (axis == box->rank - 1 && kept) {
    memcpy(to, from, kept * box->size);
  }
  for (size_t i = 0; axis < box->rank - 1 && i < kept; i++) {
    copy_axis(box, axis + 1, from + i * box->from_step[axis] * box->size,
              to + i * step * box->size);
  }
  tarei_fill_number(box->dtype, box->pad, to + kept * step * box->size,
                    ((size_t)box->to[axis] - kept) * step);
}

static void set_steps(const int rank, const int64_t *const dims, size_t *const steps) {
  size_t step = 1;
  for (int axis = rank - 1; axis >= 0; axis--) {
    steps[axis] = step;
    step *= (size_t)dims[axis];
  }
}

static void copy_box(const tare_port *const port, const tare_tensor *const from, const double pad,
                     tare_tensor *const to) {
  box_copy box = {
      .rank = to->rank, .size = tare_dtype_size(from->dtype), .dtype = from->dtype, .pad = pad};
  for (int axis = 0; axis < to->rank; axis++) {
    box.from[axis] = tarei_port_dim(port, from, axis);
    box.to[axis] = to->dims[axis];
  }
  set_steps(box.rank, box.from, box.from_step);
  set_steps(box.rank, box.to, box.to_step);
  copy_axis(&box, 0, from->data, to->data);
}

static tare_status size_fitted(tarei_fitted *const fitted, const int n, tare_error *const err) {
  if (fitted->n_tensors == n && fitted->tensors) {
    return TARE_OK;
  }
  tarei_fitted_fini(fitted);
  fitted->tensors = tarei_calloc((size_t)n, sizeof *fitted->tensors);
  fitted->buffers = tarei_calloc((size_t)n, sizeof *fitted->buffers);
  fitted->capacities = tarei_calloc((size_t)n, sizeof *fitted->capacities);
  if (!fitted->tensors || !fitted->buffers || !fitted->capacities) {
    tarei_fitted_fini(fitted);
    return tarei_fail_memory(err, "fitted sample", (size_t)n * sizeof *fitted->tensors);
  }
  fitted->n_tensors = n;
  return TARE_OK;
}

static tare_status reserve(tarei_fitted *const fitted, const int i, const size_t bytes,
                           const char *const name, tare_error *const err) {
  if (fitted->buffers[i] && bytes <= fitted->capacities[i]) {
    return TARE_OK;
  }
  free(fitted->buffers[i]);
  fitted->buffers[i] = tarei_alloc_aligned(bytes, 1);
  fitted->capacities[i] = fitted->buffers[i] ? bytes : 0;
  return fitted->buffers[i] ? TARE_OK : tarei_fail_memory(err, name, bytes);
}

static void drop_buffer(tarei_fitted *const fitted, const int i) {
  free(fitted->buffers[i]);
  fitted->buffers[i] = NULL;
  fitted->capacities[i] = 0;
}

/* Bytes of a tensor; an overflow is more than any machine has. */
static tare_status count_bytes(const tare_tensor *const tensor, const char *const name,
                               size_t *const bytes, tare_error *const err) {
  const int64_t count = tare_tensor_count(tensor);
  const size_t size = tare_dtype_size(tensor->dtype);
  if (size == 0) {
    return tarei_fail(err, TARE_E_INPUT, "input '%s' has unknown element type %d", name,
                      (int)tensor->dtype);
  }
  if (count < 0 || !tarei_mul_size((size_t)count, size, bytes) || *bytes > PTRDIFF_MAX) {
    return tarei_fail(err, TARE_E_LIMIT, "input '%s' exceeds the address space", name);
  }
  return TARE_OK;
}

/* Lengths of an axis become those of what is left of it. */
static tare_status fit_follow(const tare_profiles *const profiles,
                              const tare_length_input *const item, const tarei_fitted *const fitted,
                              const tare_tensor *const lengths, tare_error *const err) {
  int s = 0;
  while (strcmp(profiles->symbols[s], item->symbol) != 0) {
    s++;
    assert(s < profiles->n_symbols); /* the check found it */
  }
  return tarei_length_input_follow(item, fitted->own[s], fitted->run[s], lengths, err);
}

static tare_status fit_tensor(const tare_profiles *const profiles, const int i,
                              const tare_tensor *const from, const tarei_fit_options *const options,
                              tarei_fitted *const fitted, tare_error *const err) {
  const tare_port *const port = &profiles->inputs[i];
  const tare_length_input *const lengths =
      tarei_length_input_of(options->length_inputs, options->n_length_inputs, port->name);
  tare_tensor to = {.dtype = from->dtype, .rank = port->rank, .data = from->data};
  bool same = true;
  for (int axis = 0; axis < port->rank; axis++) {
    const int symbol = profiles->dim_symbols[i][axis];
    to.dims[axis] = symbol < 0 ? port->dims[axis].value : fitted->run[symbol];
    same = same && to.dims[axis] == tarei_port_dim(port, from, axis);
  }
  size_t bytes = 0;
  TAREI_TRY(count_bytes(&to, port->name, &bytes, err));
  if (same && !lengths) {
    drop_buffer(fitted, i);
  } else {
    TAREI_TRY(reserve(fitted, i, bytes, port->name, err));
    to.data = fitted->buffers[i];
    if (same) {
      memcpy(to.data, from->data, bytes);
    } else {
      copy_box(port, from, pad_value_of(options, port->name), &to);
    }
  }
  fitted->tensors[i] = to;
  return lengths ? fit_follow(profiles, lengths, fitted, &to, err) : TARE_OK;
}

static tare_status fit_choose_profile(const tare_profiles *const profiles, const int64_t *const own,
                                      const tare_outside outside, int *const profile,
                                      tare_error *const err) {
  *profile = tare_profiles_find(profiles, own);
  if (*profile < 0 && outside == TARE_OUTSIDE_NEAREST) {
    *profile = tare_profiles_nearest(profiles, own);
  }
  return *profile < 0 ? tare_profiles_explain(profiles, own, NULL, err) : TARE_OK;
}

/* An axis that joins several lengths has padding only at its end, so that just one of them may
 * change, and the others must be empty. */
static tare_status fit_sum(const tare_profiles *const profiles, const tare_fit fit,
                           const int symbol, tarei_fitted *const fitted, tare_error *const err) {
  const tarei_symbol_sum *const sum = &profiles->sums[symbol];
  int changed = -1, parts = sum->constant > 0;
  for (int i = 0; i < profiles->n_symbols; i++) {
    const bool in = tarei_symbol_sum_count(sum, i) > 0;
    changed = in && fitted->run[i] != fitted->own[i] ? i : changed;
    parts += in && (fitted->run[i] > 0 || fitted->own[i] > 0);
  }
  if (changed >= 0 && parts > 1) {
    return tarei_fail(err, TARE_E_USAGE,
                      "fit '%s' changes %s from %" PRId64 " to %" PRId64
                      ": it cannot change '%s', which joins several lengths (use fit native and a "
                      "profile that covers the sample)",
                      tare_fit_name(fit), profiles->symbols[changed], fitted->own[changed],
                      fitted->run[changed], profiles->symbols[symbol]);
  }
  return tarei_symbol_sum_value(sum, fitted->run, &fitted->run[symbol])
             ? TARE_OK
             : tarei_fail(err, TARE_E_LIMIT, "'%s' exceeds 64 bits", profiles->symbols[symbol]);
}

/* The lengths at which the sample runs, and how much of them is its own. */
static tare_status fit_lengths(const tare_profiles *const profiles, const tare_fit fit,
                               tarei_fitted *const fitted, tare_error *const err) {
  for (int i = 0; i < profiles->n_symbols; i++) {
    const tare_range range = tare_profiles_range(profiles, fitted->profile, i);
    fitted->run[i] = tarei_policy_value(fit, fitted->own[i], range);
  }
  for (int i = 0; i < profiles->n_symbols; i++) {
    TAREI_TRY(profiles->sums[i].is ? fit_sum(profiles, fit, i, fitted, err) : TARE_OK);
    fitted->valid[i] = fitted->own[i] < fitted->run[i] ? fitted->own[i] : fitted->run[i];
  }
  return TARE_OK;
}

static tare_status fit_sample(const tare_profiles *const profiles,
                              const tarei_fit_options *const options,
                              const tare_tensor *const tensors, tarei_fitted *const fitted,
                              tare_error *const err) {
  int64_t *const own = fitted->own;
  TAREI_TRY(size_fitted(fitted, profiles->n_inputs, err));
  TAREI_TRY(tare_profiles_bind(profiles, tensors, own, err));
  TAREI_TRY(fit_choose_profile(profiles, own, options->outside, &fitted->profile, err));
  TAREI_TRY(fit_lengths(profiles, options->fit, fitted, err));
  for (int i = 0; i < profiles->n_inputs; i++) {
    TAREI_TRY(fit_tensor(profiles, i, &tensors[i], options, fitted, err));
  }
  return TARE_OK;
}

tare_status tarei_fit_sample(const tare_profiles *const profiles,
                             const tarei_fit_options *const options, const char *const what,
                             const tare_tensor *const tensors, tarei_fitted *const fitted,
                             tare_error *const err) {
  const tare_status status = fit_sample(profiles, options, tensors, fitted, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", what);
}

/* Elements of all inputs at given symbol values. */
static int64_t count_elements(const tare_profiles *const profiles, const int64_t *const symbols) {
  int64_t sum = 0;
  for (int i = 0; i < profiles->n_inputs; i++) {
    int64_t n = 1;
    for (int axis = 0; axis < profiles->inputs[i].rank; axis++) {
      const int symbol = profiles->dim_symbols[i][axis];
      n *= symbol < 0 ? profiles->inputs[i].dims[axis].value : symbols[symbol];
    }
    sum += n;
  }
  return sum;
}

void tarei_fit_count(const tare_profiles *const profiles, const tarei_fitted *const fitted,
                     tare_fit_counts *const counts) {
  bool cut = false, padded = false;
  for (int s = 0; s < profiles->n_symbols; s++) {
    cut = cut || fitted->run[s] < fitted->own[s];
    padded = padded || fitted->run[s] > fitted->own[s];
  }
  counts->samples++;
  counts->cut += cut;
  counts->padded += padded;
  const int64_t run = count_elements(profiles, fitted->run);
  const int64_t valid = count_elements(profiles, fitted->valid);
  counts->run += run;
  counts->padding += run - valid;
  if (cut) {
    const int64_t elements = count_elements(profiles, fitted->own);
    counts->elements += elements;
    counts->lost += elements - valid;
  }
}

void tarei_fitted_fini(tarei_fitted *const fitted) {
  for (int i = 0; i < fitted->n_tensors; i++) {
    free(fitted->buffers[i]);
  }
  free(fitted->tensors);
  free(fitted->buffers);
  free(fitted->capacities);
  *fitted = (tarei_fitted){0};
}
