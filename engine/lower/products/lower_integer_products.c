/* MatMulInteger and ConvInteger: sums in int32, exact, wrapping as two's complement does. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/products/products.h"
#include "engine/threads.h"
#include "graph/ops/ops_common.h"

/* Bytes of either sign, with their zero points: one, or one for each row or column of each matrix.
 */
typedef struct integer_operand {
  const void *data;
  bool is_signed;
  const void *zeros; /* or NULL */
  size_t n_zeros;
} integer_operand;

static integer_operand integer_products_operand(const tarei_step *const step,
                                                const tarei_run *const r, const int i) {
  const tare_tensor *const zeros = step->node->n_in > i + 2 ? r->in[i + 2] : NULL;
  return (integer_operand){.data = r->in[i]->data,
                           .is_signed = r->in[i]->dtype == TARE_I8,
                           .zeros = zeros ? zeros->data : NULL,
                           .n_zeros = zeros ? (size_t)tare_tensor_count(zeros) : 0};
}

static int32_t byte_at(const void *const data, const bool is_signed, const size_t i) {
  return is_signed ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
}

static int32_t zero_at(const integer_operand *const b, const size_t i) {
  return b->zeros && b->n_zeros ? byte_at(b->zeros, b->is_signed, i % b->n_zeros) : 0;
}

static int32_t integer_products_value_at(const integer_operand *const b, const size_t i,
                                         const int32_t zero) {
  return byte_at(b->data, b->is_signed, i) - zero;
}

/* One zero point, one for each of `each`, or that for each of the matrices. */
static tare_status want_zeros(const integer_operand *const b, const char *const what,
                              const size_t each, const size_t matrices, tare_error *const err) {
  return b->n_zeros <= 1 || b->n_zeros == each || b->n_zeros == each * matrices
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE, "%zu zero points for %zu %s", b->n_zeros, each, what);
}

/* --- products --------------------------------------------------------------------------------- */

typedef struct product_job {
  integer_operand a, b;
  const tarei_run *run;
} product_job;

static void integer_products_pack(const void *const user, const tarei_product *const p,
                                  const size_t matrix, void *const memory) {
  const product_job *const j = user;
  int16_t *const to = memory;
  for (size_t k = 0; k < p->k; k++) {
    for (size_t n = 0; n < p->n; n++) {
      const size_t at = (matrix * p->k + k) * p->n + n;
      to[k * p->n + n] =
          (int16_t)integer_products_value_at(&j->b, at, zero_at(&j->b, matrix * p->n + n));
    }
  }
}

static void integer_products_add_row(const int16_t *const b, const int32_t a, const size_t n,
                                     uint32_t *const sum) {
  for (size_t i = 0; i < n; i++) {
    sum[i] += (uint32_t)(a * b[i]);
  }
}

static void integer_products_rows(const void *const user, const tarei_product *const p,
                                  const tarei_product_rows *const r, void *const packed) {
  const product_job *const j = user;
  for (size_t m = r->first; m < r->first + r->m; m++) {
    uint32_t *const sum = (uint32_t *)j->run->out[0]->data + (r->batch * p->m + m) * p->n;
    const size_t row = r->a * p->m + m;
    const int32_t zero = zero_at(&j->a, row);
    memset(sum, 0, p->n * sizeof *sum);
    for (size_t k = 0; k < p->k; k++) {
      integer_products_add_row((const int16_t *)packed + k * p->n,
                               integer_products_value_at(&j->a, row * p->k + k, zero), p->n, sum);
    }
  }
}

static tarei_product_form integer_products_form_of(const tarei_product *const p) {
  return (tarei_product_form){
      tarei_round_up(tarei_times(tarei_times(p->k, p->n), sizeof(int16_t)), TAREI_ALIGN),
      integer_products_pack, integer_products_rows};
}

static size_t scratch_matmul(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  tarei_product p;
  tarei_product_read(in[0], in[1], false, &p);
  const tarei_product_form form = integer_products_form_of(&p);
  return tarei_product_scratch(&form, threads);
}

static size_t matrices_of(const tare_tensor *const t, const size_t each) {
  return each ? (size_t)tare_tensor_count(t) / each : 0;
}

static tare_status run_matmul(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  tarei_product p;
  tarei_product_read(r->in[0], r->in[1], false, &p);
  TAREI_TRY(tarei_product_check(&p, r->in[0], r->in[1], r->out[0], err));
  const product_job j = {integer_products_operand(step, r, 0), integer_products_operand(step, r, 1),
                         r};
  TAREI_TRY(want_zeros(&j.a, "rows", p.m, matrices_of(r->in[0], p.m * p.k), err));
  TAREI_TRY(want_zeros(&j.b, "columns", p.n, matrices_of(r->in[1], p.k * p.n), err));
  const tarei_product_form form = integer_products_form_of(&p);
  tarei_product_run(&p, r, &form, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_matmul_integer = {.scratch = scratch_matmul, .run = run_matmul};

/* --- convolutions ----------------------------------------------------------------------------- */

typedef struct conv_state {
  tarei_window window;
  int64_t group;
} conv_state;

typedef struct conv_job {
  const conv_state *s;
  integer_operand x, w;
  const tare_tensor *in, *weights, *out;
  int64_t before[TARE_MAX_RANK]; /* padding */
} conv_job;

static tare_status prepare_conv(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  conv_state *const s = step->state;
  s->group = tarei_attr_int(step->node, "group", 1);
  return tarei_ops_window(step->graph, step->node, w->rank - 2, w->dims + 2, &s->window, err);
}

/* The next place in a box of n axes; false behind the last one. */
static bool step_on(int64_t *const at, const int64_t *const dims, const int n) {
  for (int i = n - 1; i >= 0; i--) {
    if (++at[i] < dims[i]) {
      return true;
    }
    at[i] = 0;
  }
  return false;
}

/* Offset inside one channel of what tap `tap` of the window at `place` reads; -1 for padding. */
static int64_t integer_products_offset_of(const conv_job *const j, const int64_t *const place,
                                          const int64_t *const tap) {
  const tarei_window *const w = &j->s->window;
  int64_t offset = 0;
  for (int i = 0; i < w->n; i++) {
    const int64_t at = place[i] * w->strides[i] + tap[i] * w->dilations[i] - j->before[i];
    const int64_t length = j->in->dims[2 + i];
    if (at < 0 || at >= length) {
      return -1;
    }
    offset = offset * length + at;
  }
  return offset;
}

static size_t count_from(const tare_tensor *const t, const int axis) {
  size_t n = 1;
  for (int i = axis; i < t->rank; i++) {
    n *= (size_t)t->dims[i];
  }
  return n;
}

/* One output: all taps of all channels of the group. */
static int32_t sum_at(const conv_job *const j, const size_t sample, const size_t output,
                      const int64_t *const place) {
  const size_t per_group = (size_t)j->weights->dims[1], taps = count_from(j->weights, 2);
  const size_t group = output / (size_t)(j->weights->dims[0] / j->s->group);
  const size_t channel = sample * (size_t)j->in->dims[1] + group * per_group;
  const size_t length = count_from(j->in, 2);
  const int32_t x_zero = zero_at(&j->x, 0), w_zero = zero_at(&j->w, output);
  int64_t tap[TARE_MAX_RANK] = {0};
  uint32_t sum = 0;
  for (size_t t = 0; t < taps; t++, (void)step_on(tap, j->weights->dims + 2, j->s->window.n)) {
    const int64_t offset = integer_products_offset_of(j, place, tap);
    for (size_t c = 0; offset >= 0 && c < per_group; c++) {
      const size_t x = (channel + c) * length + (size_t)offset;
      const size_t w = (output * per_group + c) * taps + t;
      sum += (uint32_t)(integer_products_value_at(&j->x, x, x_zero) *
                        integer_products_value_at(&j->w, w, w_zero));
    }
  }
  return (int32_t)sum;
}

static void channels(const void *const user, const size_t first, const size_t end,
                     const int thread) {
  (void)thread;
  const conv_job *const j = user;
  const size_t outputs = (size_t)j->out->dims[1], length = count_from(j->out, 2);
  for (size_t i = first; i < end; i++) {
    int64_t place[TARE_MAX_RANK] = {0};
    int32_t *const to = (int32_t *)j->out->data + i * length;
    for (size_t at = 0; at < length; at++) {
      to[at] = sum_at(j, i / outputs, i % outputs, place);
      (void)step_on(place, j->out->dims + 2, j->s->window.n);
    }
  }
}

static tare_status run_conv(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  const conv_state *const s = step->state;
  conv_job j = {.s = s,
                .x = integer_products_operand(step, r, 0),
                .w = integer_products_operand(step, r, 1),
                .in = r->in[0],
                .weights = r->in[1],
                .out = r->out[0]};
  TAREI_TRY(want_zeros(&j.x, "inputs", 1, 1, err));
  TAREI_TRY(want_zeros(&j.w, "outputs", (size_t)j.weights->dims[0], 1, err));
  TAREI_TRY(tarei_want_dim(step, r, 0, 1, j.weights->dims[1] * s->group, err));
  for (int i = 0; i < s->window.n; i++) {
    j.before[i] = tarei_window_padding(&s->window, i, j.in->dims[2 + i], j.out->dims[2 + i]).before;
  }
  tarei_ranges(r, (size_t)(j.out->dims[0] * j.out->dims[1]), 1, channels, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_conv_integer = {
    .state_bytes = sizeof(conv_state), .prepare = prepare_conv, .run = run_conv};
