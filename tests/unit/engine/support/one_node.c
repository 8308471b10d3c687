#include "unit/engine/support/one_node.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/lower/measured.h"
#include "engine/sizes.h"
#include "graph/pass.h"
#include "unit/seed.h"

#define MOST_BYTES ((size_t)1 << 22) /* of an output */
#define GUARD 64 /* bytes behind outputs and scratch that have to stay as they are */
#define UNTOUCHED 0xa5

static uint64_t random_state;

void one_node_seed(void) {
  random_state = test_seed() * 2654435761u + 1;
}

uint32_t one_node_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 32);
}

int64_t one_node_between(const int64_t lowest, const int64_t highest) {
  return lowest + (int64_t)one_node_bits() % (highest - lowest + 1);
}

float one_node_float(void) {
  return (float)one_node_bits() / 1073741824.0f - 2.0f;
}

void one_node_start(one_node *const t) {
  *t = (one_node){.graph = tarei_graph_new("test")};
  assert_non_null(t->graph);
}

static void fill_random(const tare_tensor *const x) {
  const int64_t n = tare_tensor_count(x);
  for (int64_t i = 0; i < n; i++) {
    if (x->dtype == TARE_F32) {
      ((float *)x->data)[i] = one_node_float();
    } else if (x->dtype == TARE_F64) {
      ((double *)x->data)[i] = (double)one_node_float();
    } else if (x->dtype == TARE_U32) {
      ((uint32_t *)x->data)[i] = (uint32_t)one_node_between(0, 9);
    } else if (x->dtype == TARE_U64) {
      ((uint64_t *)x->data)[i] = (uint64_t)one_node_between(0, 9);
    } else if (x->dtype == TARE_I64) {
      ((int64_t *)x->data)[i] = one_node_between(-9, 9);
    } else if (x->dtype == TARE_I32) {
      ((int32_t *)x->data)[i] = (int32_t)one_node_between(-9, 9);
    } else if (x->dtype == TARE_BOOL) {
      ((uint8_t *)x->data)[i] = (uint8_t)(one_node_bits() & 1);
    } else {
      for (size_t b = 0; b < tare_dtype_size(x->dtype); b++) {
        ((uint8_t *)x->data)[(size_t)i * tare_dtype_size(x->dtype) + b] = (uint8_t)one_node_bits();
      }
    }
  }
}

static tare_tensor make_tensor(const tare_dtype dtype, const int rank, const int64_t *const dims,
                               const void *const data) {
  tare_tensor x = {.dtype = dtype, .rank = rank};
  for (int d = 0; d < rank; d++) {
    x.dims[d] = dims[d];
  }
  const size_t bytes = (size_t)tare_tensor_count(&x) * tare_dtype_size(dtype);
  x.data = tarei_alloc_aligned(bytes, 1);
  assert_non_null(x.data);
  if (data) {
    memcpy(x.data, data, bytes);
  } else {
    fill_random(&x);
  }
  return x;
}

static int add_operand(one_node *const t, const int value, const tare_tensor x) {
  assert_true(t->n_in < ONE_NODE_MAX && value >= -1);
  t->in[t->n_in] = value;
  t->inputs[t->n_in] = x;
  return t->n_in++;
}

int one_node_input(one_node *const t, const tare_dtype dtype, const int rank,
                   const int64_t *const dims, const void *const data) {
  char name[16];
  (void)snprintf(name, sizeof name, "x%d", t->n_in);
  const int value = tarei_graph_add_value(t->graph, name);
  assert_true(value >= 0);
  tarei_value *const v = &t->graph->values[value];
  v->dtype = dtype;
  v->rank = rank;
  for (int d = 0; d < rank; d++) {
    v->dims[d] = tarei_expr_const(t->graph->exprs, dims[d]);
  }
  assert_true(tarei_graph_mark_input(t->graph, value));
  return add_operand(t, value, make_tensor(dtype, rank, dims, data));
}

int one_node_const(one_node *const t, const tare_dtype dtype, const int rank,
                   const int64_t *const dims, const void *const data) {
  const tare_tensor x = make_tensor(dtype, rank, dims, data);
  return add_operand(t, tarei_graph_add_const(t->graph, "c", dtype, rank, dims, x.data), x);
}

int one_node_ints(one_node *const t, const int n, const int64_t *const values) {
  return one_node_const(t, TARE_I64, 1, (int64_t[]){n}, values);
}

int one_node_absent(one_node *const t) {
  return add_operand(t, -1, (tare_tensor){0});
}

void one_node_symbol(one_node *const t, const int input, const int axis, const char *const name) {
  tarei_exprs *const pool = t->graph->exprs;
  t->graph->values[t->in[input]].dims[axis] = tarei_expr_symbol(pool, name);
  t->symbols[tarei_exprs_find_symbol(pool, name)] = t->inputs[input].dims[axis];
}

void one_node_op(one_node *const t, const char *const op, const char *const domain, const int opset,
                 const int n_out) {
  static const char *const names[ONE_NODE_OUTPUTS] = {"y0", "y1", "y2", "y3"};
  assert_true(n_out <= ONE_NODE_OUTPUTS);
  t->n_out = n_out;
  for (int o = 0; o < n_out; o++) {
    t->out[o] = tarei_graph_add_value(t->graph, names[o]);
    assert_true(t->out[o] >= 0 && tarei_graph_mark_output(t->graph, t->out[o]));
  }
  const int node =
      tarei_graph_add_node(t->graph, op, domain, "node", opset, t->in, t->n_in, t->out, n_out);
  assert_true(node >= 0);
  t->node = &t->graph->nodes[node];
}

void one_node_leave_out(one_node *const t, const int output) {
  t->node->out[output] = t->out[output] = -1;
}

void one_node_scale(one_node *const t, const int value, const float scale,
                    const bool unsigned_range) {
  tarei_quant *const q = &t->graph->values[value].quant;
  q->scales = tarei_memdup(&scale, sizeof scale);
  assert_non_null(q->scales);
  q->n_scales = 1;
  q->zero_point = unsigned_range ? 0 : TAREI_SYMMETRIC;
}

void one_node_rows(one_node *const t, const int value, const bool from_zero) {
  t->graph->values[value].quant.zero_point = from_zero ? 0 : TAREI_SYMMETRIC;
}

static size_t bytes_of(const tare_tensor *const x) {
  return (size_t)tare_tensor_count(x) * tare_dtype_size(x->dtype);
}

/* Memory for an output, or for scratch: everything in it is known to be untouched. */
static void *untouched(const size_t bytes) {
  void *const data = tarei_alloc_aligned(bytes + GUARD, 1);
  assert_non_null(data);
  memset(data, UNTOUCHED, bytes + GUARD);
  return data;
}

static void check_guard(const void *const data, const size_t bytes) {
  for (size_t i = 0; i < GUARD; i++) {
    assert_int_equal(((const uint8_t *)data)[bytes + i], UNTOUCHED);
  }
}

/* Sizes that an engine would refuse as well are refused here. */
static tare_status make_outputs(one_node *const t, tare_error *const err) {
  for (int o = 0; o < t->n_out; o++) {
    if (t->out[o] < 0) {
      continue;
    }
    const tarei_value *const v = &t->graph->values[t->out[o]];
    tare_tensor *const y = &t->outputs[o];
    *y = (tare_tensor){.dtype = v->dtype, .rank = v->rank};
    for (int d = 0; d < v->rank; d++) {
      if (!tarei_expr_eval(t->graph->exprs, v->dims[d], t->symbols, &y->dims[d])) {
        return tarei_fail(err, TARE_E_SHAPE, "axis %d of '%s' overflows", d, v->name);
      }
    }
    size_t bytes;
    if (!tarei_sizes_bytes(y, &bytes) || bytes > MOST_BYTES) {
      return tarei_fail(err, TARE_E_LIMIT, "'%s' would be too large", v->name);
    }
    y->data = untouched(bytes);
  }
  return TARE_OK;
}

/* Symbol number k that the node measures, or -1. */
static int symbol_of(const one_node *const t, const int k) {
  return tarei_exprs_find_measured(t->graph->exprs, t->node->number, k);
}

/* Runs the step; what its outputs need is measured before, and is all where `outputs` is NULL. */
static tare_status run_with(one_node *const t, const tarei_step *const step, const int threads,
                            tare_tensor *const outputs, tare_error *const err) {
  const tare_tensor *in[ONE_NODE_MAX] = {0}, *out[ONE_NODE_OUTPUTS] = {0};
  for (int i = 0; i < t->n_in; i++) {
    in[i] = t->in[i] < 0 ? NULL : &t->inputs[i];
  }
  for (int o = 0; outputs && o < t->n_out; o++) {
    out[o] = t->out[o] < 0 ? NULL : &outputs[o];
  }
  const tarei_lowering *const lowering = step->lowering;
  const size_t bytes = lowering->scratch ? lowering->scratch(step, in, out, threads) : 0;
  void *const scratch = untouched(bytes);
  tarei_team *team;
  assert_int_equal(tarei_team_new(threads, &team, err), TARE_OK);
  const tarei_run run = {.in = in,
                         .out = out,
                         .scratch = scratch,
                         .threads = threads,
                         .team = team,
                         .kernels = step->kernels};
  int64_t measured[TARE_MAX_RANK];
  tare_status status = step->n_measured ? lowering->measure(step, &run, measured, err) : TARE_OK;
  if (outputs && status == TARE_OK) {
    status = lowering->run(step, &run, err);
  }
  tarei_team_free(team);
  check_guard(scratch, bytes);
  free(scratch);
  for (int o = 0; outputs && o < t->n_out; o++) {
    if (out[o]) {
      check_guard(out[o]->data, bytes_of(out[o]));
    }
  }
  for (int k = 0; !outputs && status == TARE_OK && k < step->n_measured; k++) {
    if (symbol_of(t, k) >= 0) {
      t->symbols[symbol_of(t, k)] = measured[k];
    }
  }
  return status;
}

/* The same step again with more threads: the bytes are those of one thread. */
static void check_threads(one_node *const t, const tarei_step *const step, const int threads) {
  tare_tensor again[ONE_NODE_OUTPUTS];
  tare_error err = {0};
  memcpy(again, t->outputs, sizeof again);
  for (int o = 0; o < t->n_out; o++) {
    again[o].data = t->out[o] < 0 ? NULL : untouched(bytes_of(&again[o]));
  }
  if (run_with(t, step, threads, again, &err) != TARE_OK) {
    fail_msg("%d threads: %s", threads, err.message);
  }
  for (int o = 0; o < t->n_out; o++) {
    if (t->out[o] < 0) {
      continue;
    }
    assert_memory_equal(again[o].data, t->outputs[o].data, bytes_of(&again[o]));
    free(again[o].data);
  }
}

tare_status one_node_run(one_node *const t, tare_error *const err) {
  tarei_kernels kernels;
  tarei_blobs blobs = {0};
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  TAREI_TRY(tarei_graph_infer(t->graph, err));
  tarei_step step = {.lowering = tarei_lowering_of(t->node->op),
                     .graph = t->graph,
                     .node = t->node,
                     .kernels = &kernels,
                     .n_profiles = 1};
  tare_status status = tarei_measured_find(&step, err);
  if (status == TARE_OK) {
    status = tarei_step_prepare(&step, &blobs, err);
  }
  if (status == TARE_OK && step.n_measured) {
    assert_non_null(step.lowering->measure);
    status = run_with(t, &step, 1, NULL, err);
  }
  if (status == TARE_OK) {
    status = make_outputs(t, err);
  }
  if (status == TARE_OK) {
    status = run_with(t, &step, 1, t->outputs, err);
  }
  if (status == TARE_OK) {
    check_threads(t, &step, 2);
    check_threads(t, &step, 3);
  }
  tarei_step_fini(&step);
  tarei_blobs_fini(&blobs);
  return status;
}

void one_node_run_ok(one_node *const t) {
  tare_error err = {0};
  if (one_node_run(t, &err) != TARE_OK) {
    fail_msg("%s: %s", t->node->op->name, err.message);
  }
}

void one_node_refused(one_node *const t, const tare_status status, const char *const text) {
  tare_error err = {0};
  assert_int_equal(one_node_run(t, &err), status);
  if (!strstr(err.message, text)) {
    fail_msg("'%s' is not in '%s'", text, err.message);
  }
  one_node_end(t);
}

void one_node_end(one_node *const t) {
  for (int i = 0; i < t->n_in; i++) {
    free(t->inputs[i].data);
  }
  for (int o = 0; o < t->n_out; o++) {
    free(t->outputs[o].data);
  }
  tarei_graph_free(t->graph);
}

double one_node_value(const tare_tensor *const x, const size_t i) {
  switch (x->dtype) {
    case TARE_F32:
      return (double)((const float *)x->data)[i];
    case TARE_F64:
      return ((const double *)x->data)[i];
    case TARE_I8:
      return ((const int8_t *)x->data)[i];
    case TARE_I16:
      return ((const int16_t *)x->data)[i];
    case TARE_U16:
      return ((const uint16_t *)x->data)[i];
    case TARE_I32:
      return ((const int32_t *)x->data)[i];
    case TARE_U32:
      return ((const uint32_t *)x->data)[i];
    case TARE_I64:
      return (double)((const int64_t *)x->data)[i];
    case TARE_U64:
      return (double)((const uint64_t *)x->data)[i];
    default:
      return ((const uint8_t *)x->data)[i];
  }
}

void one_node_expect_floats(const one_node *const t, const float *const expected, const size_t n,
                            const float tolerance) {
  const float *const got = t->outputs[0].data;
  assert_int_equal(tare_tensor_count(&t->outputs[0]), (int64_t)n);
  for (size_t i = 0; i < n; i++) {
    const float limit = tolerance * fmaxf(1, fabsf(expected[i]));
    const bool same = got[i] == expected[i] || (isnan(got[i]) && isnan(expected[i]));
    if (!same && !(fabsf(got[i] - expected[i]) <= limit)) {
      fail_msg("%s, element %zu: %.9g instead of %.9g", t->node->op->name, i, (double)got[i],
               (double)expected[i]);
    }
  }
}

void one_node_expect_element(const tare_tensor *const y, const int64_t i,
                             const tare_tensor *const x, const int64_t from) {
  const size_t size = tare_dtype_size(x->dtype);
  assert_memory_equal((const char *)y->data + (size_t)i * size,
                      (const char *)x->data + (size_t)from * size, size);
}
