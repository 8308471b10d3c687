/* Reductions over axes, and pooling over all of space, which is one of them. */
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduce/log_sum_exp.h"
#include "engine/lower/reduce/reduction.h"
#include "engine/threads.h"

static bool reduce_is_extreme(const tarei_reduce_kind kind) {
  return kind == TAREI_REDUCE_MAX || kind == TAREI_REDUCE_MIN;
}

static tare_status check_dtype(const tarei_step *const step, const tarei_reduce_kind kind,
                               tare_error *const err) {
  enum { ORDERED = 1, SUMMED = 2 };
  static const uint8_t takes[TARE_BF16 + 1] = {
      [TARE_BOOL] = ORDERED, [TARE_U8] = ORDERED, [TARE_I8] = ORDERED, [TARE_U16] = ORDERED,
      [TARE_I16] = ORDERED,  [TARE_U32] = SUMMED, [TARE_I32] = SUMMED, [TARE_U64] = SUMMED,
      [TARE_I64] = SUMMED,   [TARE_F32] = SUMMED, [TARE_F64] = SUMMED};
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return takes[dtype] == SUMMED || (takes[dtype] && reduce_is_extreme(kind))
             ? TARE_OK
             : tarei_refuse_dtype(dtype, err);
}

typedef struct reduce_job {
  const tarei_kernels *kernels;
  tarei_reduce_kind kind;
  tare_dtype dtype;
  const tarei_reduction *plan;
  size_t blocks;        /* of a row, each with a result of its own */
  size_t element, soon; /* bytes of an element, and of such a result */
  const char *x;
  char *results;
} reduce_job;

static void reduce_outputs(const void *const user, const tarei_reduction *const r,
                           const void *const x, const size_t lanes, const size_t step,
                           void *const out) {
  const reduce_job *const j = user;
  if (j->kind == TAREI_REDUCE_LOG_SUM_EXP && j->dtype == TARE_F32) {
    tarei_log_sum_exp(j->kernels, r, x, lanes, step, out);
  } else {
    j->kernels->reduce(j->kind, j->dtype, TAREI_REDUCE_WHOLE, r, x, lanes, step, out);
  }
}

static void reduce_block_range(const void *const user, const size_t first, const size_t end,
                               const int thread) {
  (void)thread;
  const reduce_job *const j = user;
  const tarei_reduction *const plan = j->plan;
  for (size_t i = first; i < end; i++) {
    const size_t row = i / j->blocks, begin = i % j->blocks * TAREI_REDUCE_BLOCK;
    const size_t at = tarei_reduction_offset(&plan->kept, row / plan->rows) +
                      tarei_reduction_row(plan, row % plan->rows) + begin;
    const size_t left = plan->n - begin;
    const tarei_reduction block = {
        .n = left < TAREI_REDUCE_BLOCK ? left : TAREI_REDUCE_BLOCK, .stride = 1, .rows = 1};
    j->kernels->reduce(j->kind, j->dtype, TAREI_REDUCE_FIRST, &block, j->x + at * j->element, 1, 1,
                       j->results + i * j->soon);
  }
}

/* Few outputs of many elements that lie side by side: threads share the blocks of their sums. */
static bool shares_blocks(const tarei_run *const r, const tarei_reduction *const plan,
                          const tarei_reduce_kind kind) {
  return r->threads > 1 && kind != TAREI_REDUCE_LOG_SUM_EXP && plan->stride == 1 &&
         plan->n > TAREI_REDUCE_BLOCK && plan->outputs < 4 * (size_t)r->threads;
}

/* At most twice as many blocks as fit into all elements, since none of their rows is shorter. */
static size_t reduce_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  const size_t blocks = (size_t)tare_tensor_count(in[0]) / TAREI_REDUCE_BLOCK;
  return threads > 1 ? 2 * blocks * sizeof(int64_t) : 0;
}

static void reduce_by_blocks(const tarei_run *const r, reduce_job *const j, char *const out) {
  const tarei_reduction *const plan = j->plan;
  j->blocks = (plan->n + TAREI_REDUCE_BLOCK - 1) / TAREI_REDUCE_BLOCK;
  j->soon = reduce_is_extreme(j->kind) ? j->element : sizeof(int64_t);
  j->results = r->scratch;
  const tarei_reduction last = {
      .n = plan->rows * j->blocks, .stride = 1, .rows = 1, .count = plan->count};
  tarei_ranges(r, plan->outputs * last.n, 1, reduce_block_range, j);
  for (size_t i = 0; i < plan->outputs; i++) {
    j->kernels->reduce(j->kind, j->dtype, TAREI_REDUCE_LAST, &last,
                       j->results + i * last.n * j->soon, 1, 1, out + i * j->element);
  }
}

static tare_status reduce_over(const tarei_run *const r, const tarei_reduce_kind kind,
                               const bool *const cut, tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tarei_reduction plan = tarei_reduction_read(x, cut);
  if ((size_t)tare_tensor_count(out) != plan.outputs) {
    return tarei_fail(err, TARE_E_SHAPE, "the axes leave %zu elements, expected %lld", plan.outputs,
                      (long long)tare_tensor_count(out));
  }
  reduce_job j = {.kernels = r->kernels,
                  .kind = kind,
                  .dtype = x->dtype,
                  .plan = &plan,
                  .element = tare_dtype_size(x->dtype),
                  .x = x->data};
  if (shares_blocks(r, &plan, kind)) {
    reduce_by_blocks(r, &j, out->data);
  } else {
    tarei_reduction_run(&plan, r, x->data, j.element, out->data, j.element, reduce_outputs, &j);
  }
  return TARE_OK;
}

TAREI_KERNEL_OF(reduce_kernel, reduce)

/* No axes mean all of them, unless the node says that nothing is to be done then. */
static tare_status reduce_read_cut(const tarei_step *const step, const tarei_run *const r,
                                   bool *const cut, tare_error *const err) {
  const int rank = r->in[0]->rank;
  tarei_ints axes;
  TAREI_TRY(tarei_read_ints(step, r, 1, "axes", &axes, err));
  const bool all = axes.n == 0 && tarei_attr_int(step->node, "noop_with_empty_axes", 0) == 0;
  for (int d = 0; d < TARE_MAX_RANK; d++) {
    cut[d] = all;
  }
  for (int i = 0; i < axes.n; i++) {
    const int64_t axis = axes.at[i];
    if (axis < -rank || axis >= rank) {
      return tarei_fail(err, TARE_E_MODEL, "axis %lld is out of range for rank %d", (long long)axis,
                        rank);
    }
    cut[axis < 0 ? axis + rank : axis] = true;
  }
  return TARE_OK;
}

static tare_status run_axes(const tarei_step *const step, const tarei_run *const r,
                            const tarei_reduce_kind kind, tare_error *const err) {
  bool cut[TARE_MAX_RANK];
  TAREI_TRY(reduce_read_cut(step, r, cut, err));
  return reduce_over(r, kind, cut, err);
}

/* The dims that axes leave which only this run knows. */
static tare_status reduce_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const bool keep = tarei_attr_int(step->node, "keepdims", 1) != 0;
  const int rank = step->graph->values[step->node->out[0]].rank;
  bool cut[TARE_MAX_RANK];
  TAREI_TRY(reduce_read_cut(step, r, cut, err));
  int n = 0;
  for (int d = 0; d < x->rank; d++) {
    if (keep || !cut[d]) {
      if (n < rank) {
        values[n] = cut[d] ? 1 : x->dims[d];
      }
      n++;
    }
  }
  return n == rank ? TARE_OK
                   : tarei_fail(err, TARE_E_MODEL, "the axes leave rank %d, expected %d", n, rank);
}

#define REDUCE(id, kind)                                                              \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,   \
                                  tare_error *const err) {                            \
    (void)blobs;                                                                      \
    return check_dtype(step, kind, err);                                              \
  }                                                                                   \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r, \
                              tare_error *const err) {                                \
    return run_axes(step, r, kind, err);                                              \
  }                                                                                   \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare_##id,                   \
                                           .scratch = reduce_scratch,                 \
                                           .measure = reduce_measure,                 \
                                           .run = run_##id,                           \
                                           .kernel = reduce_kernel};

REDUCE(reduce_l1, TAREI_REDUCE_L1)
REDUCE(reduce_l2, TAREI_REDUCE_L2)
REDUCE(reduce_log_sum, TAREI_REDUCE_LOG_SUM)
REDUCE(reduce_log_sum_exp, TAREI_REDUCE_LOG_SUM_EXP)
REDUCE(reduce_max, TAREI_REDUCE_MAX)
REDUCE(reduce_mean, TAREI_REDUCE_MEAN)
REDUCE(reduce_min, TAREI_REDUCE_MIN)
REDUCE(reduce_prod, TAREI_REDUCE_PROD)
REDUCE(reduce_sum, TAREI_REDUCE_SUM)
REDUCE(reduce_sum_square, TAREI_REDUCE_SUM_SQUARE)

/* Everything behind batch and channels goes away. */
static const bool space[TARE_MAX_RANK] = {false, false, true, true, true, true, true, true};

#define GLOBAL_POOL(id, kind)                                                                 \
  static tare_status prepare_##id(tarei_step *const step, tarei_blobs *const blobs,           \
                                  tare_error *const err) {                                    \
    (void)blobs;                                                                              \
    const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;                    \
    return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err); \
  }                                                                                           \
  static tare_status run_##id(const tarei_step *const step, const tarei_run *const r,         \
                              tare_error *const err) {                                        \
    (void)step;                                                                               \
    return reduce_over(r, kind, space, err);                                                  \
  }                                                                                           \
  const tarei_lowering tarei_lower_##id = {.prepare = prepare_##id,                           \
                                           .scratch = reduce_scratch,                         \
                                           .run = run_##id,                                   \
                                           .kernel = reduce_kernel};

GLOBAL_POOL(global_average_pool, TAREI_REDUCE_MEAN)
GLOBAL_POOL(global_max_pool, TAREI_REDUCE_MAX)
