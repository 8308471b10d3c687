#include "calib/rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/weight_scale.h"
#include "graph/table/named.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

#define DAMPING 0.01 /* of the mean square of an input: rows that were not seen differ a little */

/* --- the factor of a block -------------------------------------------------------------------- */

/* The upper triangle of X'X of a block, damped: inputs that are always zero get a row too. Inputs
 * are multiplied by factors[size] first. */
static void block_fill(const tarei_gram *const gram, const int64_t block, const size_t size,
                       const double *const factors, double *const a) {
  const int64_t *const sums = tarei_gram_block(gram, block);
  double trace = 0;
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j <= i; j++) {
      a[j * size + i] = (double)sums[i * (i + 1) / 2 + j] * factors[i] * factors[j];
    }
    trace += a[i * size + i];
  }
  for (size_t i = 0; i < size; i++) {
    a[i * size + i] += trace > 0 ? DAMPING * trace / (double)size : 1;
  }
}

/* row -= by * above, from `first` on. */
static void row_subtract(double *restrict const row, const double *restrict const above,
                         const double by, const size_t first, const size_t size) {
  for (size_t j = first; j < size; j++) {
    row[j] -= by * above[j];
  }
}

/* X'X = U'U. */
static void block_factor(const size_t size, double *const a, float *const upper) {
  for (size_t k = 0; k < size; k++) {
    double *const row = a + k * size;
    const double root = sqrt(row[k]);
    for (size_t i = k; i < size; i++) {
      row[i] /= root;
      upper[k * size + i] = (float)row[i];
    }
    for (size_t i = k + 1; i < size; i++) {
      row_subtract(a + i * size, row, row[i], i, size);
    }
  }
}

/* --- channels --------------------------------------------------------------------------------- */

enum {
  LANES = TAREI_F32_PANEL, /* channels at a time */
  CHUNK = 32,              /* inputs, between which errors are carried one by one */
};

/* One block of the inputs of a layer, for all its channels. */
typedef struct rounding_job {
  const tarei_kernels *kernels;
  const tarei_row_reader *reader;
  const tarei_smoothing *smoothing; /* of what it reads, or NULL */
  const float *weights;
  const float *scales; /* [n] */
  size_t begin, size;
  const float *upper;           /* [size][size], the factor U = L' */
  struct rounding_lanes *lanes; /* per thread */
  uint8_t *ups;                 /* [n][k] */
} rounding_job;

/* Some channels. Weights are in units of their scales: what is above the whole number that they are
 * rounded down to. Those of +-127 stay, so that the scale can be found from the weights again. */
typedef struct rounding_lanes {
  float errors[TAREI_GRAM_MOST][LANES]; /* a panel of kernels */
  float above[TAREI_GRAM_MOST][LANES];
  float sums[CHUNK][LANES];
  bool fixed[TAREI_GRAM_MOST][LANES], up[TAREI_GRAM_MOST][LANES];
} rounding_lanes;

/* Rows have the channels of a tap side by side, the view of the weights the taps of a channel. */
static size_t input_of_row(const tarei_weight_view *const v, const size_t at) {
  const size_t channels = (size_t)(v->k / v->taps);
  return at % channels * (size_t)v->taps + at / channels;
}

static void lanes_fill(const rounding_job *const j, const size_t first, const size_t n,
                       rounding_lanes *const to) {
  const tarei_weight_view *const view = &j->reader->weights;
  for (size_t i = 0; i < j->size; i++) {
    const int64_t input = (int64_t)input_of_row(view, j->begin + i);
    for (size_t c = 0; c < LANES; c++) {
      const size_t channel = c < n ? first + c : first;
      const float w = j->weights[tarei_weight_view_at(view, (int64_t)channel, input)];
      const float scale = j->scales[channel];
      const int8_t down = tarei_weight_round(w, scale, false);
      const int8_t nearest = tarei_weight_quantize(w, scale);
      to->above[i][c] = w / scale - down;
      to->fixed[i][c] = abs(nearest) == 127;
      to->up[i][c] = nearest > down;
    }
  }
}

/* What the errors of the inputs behind a chunk add to those within. */
static void lanes_carry(const rounding_job *const j, const size_t first, const size_t end,
                        rounding_lanes *const l) {
  const tarei_f32_gemm product = {.a = j->upper + first * j->size + end,
                                  .lda = j->size,
                                  .m = end - first,
                                  .k = j->size - end,
                                  .n = LANES,
                                  .b = l->errors[end],
                                  .epilogue = {.out_f32 = l->sums[0], .ld_f32 = LANES}};
  memset(l->sums, 0, sizeof l->sums);
  if (product.k > 0) {
    j->kernels->f32_gemm(&product);
  }
}

/* Rounds one input of all channels, and adds its part of the losses. */
static void lanes_round_input(const rounding_job *const j, const bool alone, const size_t i,
                              float *const sums, rounding_lanes *const l, double *const loss) {
  const float own = j->upper[i * j->size + i];
  for (size_t c = 0; c < LANES; c++) {
    const float wanted = l->above[i][c] + (alone ? 0 : sums[c] / own);
    l->up[i][c] = l->fixed[i][c] ? l->up[i][c] : wanted > 0.5F;
    l->errors[i][c] = l->above[i][c] - l->up[i][c];
    const double lost = (double)(sums[c] + own * l->errors[i][c]);
    loss[c] += lost * lost;
  }
}

/* The loss of a channel with errors e is |U e|^2. From the last input on, each is rounded so that
 * its own part is small; or alone, to nearest. */
static void lanes_round(const rounding_job *const j, const bool alone, rounding_lanes *const l,
                        double *const loss) {
  memset(loss, 0, LANES * sizeof *loss);
  for (size_t end = j->size; end > 0;) {
    const size_t first = (end - 1) / CHUNK * CHUNK;
    lanes_carry(j, first, end, l);
    for (size_t i = end; i-- > first;) {
      lanes_round_input(j, alone, i, l->sums[i - first], l, loss);
      for (size_t m = first; m < i; m++) {
        const float by = j->upper[m * j->size + i];
        for (size_t c = 0; c < LANES; c++) {
          l->sums[m - first][c] += by * l->errors[i][c];
        }
      }
    }
    end = first;
  }
}

static void lanes_take(const rounding_job *const j, const size_t first, const size_t n,
                       const bool *const taken, const rounding_lanes *const l) {
  const tarei_weight_view *const view = &j->reader->weights;
  for (size_t i = 0; i < j->size; i++) {
    const size_t input = input_of_row(view, j->begin + i);
    for (size_t c = 0; c < n; c++) {
      if (taken[c]) {
        j->ups[(first + c) * (size_t)view->k + input] = l->up[i][c];
      }
    }
  }
}

/* A channel that gains nothing by the others' errors keeps each weight nearest. */
static void round_channels(const void *const user, const size_t item, const int thread) {
  const rounding_job *const j = user;
  const size_t first = item * LANES, left = (size_t)j->reader->weights.n - first;
  const size_t n = left < LANES ? left : LANES;
  rounding_lanes *const l = &j->lanes[thread];
  double alone[LANES], together[LANES];
  bool taken[LANES];
  lanes_fill(j, first, n, l);
  lanes_round(j, true, l, alone);
  memset(taken, true, sizeof taken);
  lanes_take(j, first, n, taken, l);
  lanes_round(j, false, l, together);
  for (size_t c = 0; c < LANES; c++) {
    taken[c] = together[c] < alone[c];
  }
  lanes_take(j, first, n, taken, l);
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Memory for any block and layer. */
typedef struct rounding_work {
  const tarei_kernels *kernels;
  tarei_team *team;
  double *products;
  float *upper;
  rounding_lanes *lanes;
  const tare_calibrate_options *options;
  int64_t done, total; /* weights */
} rounding_work;

static tare_status rounding_work_init(rounding_work *const work, const int threads,
                                      tare_error *const err) {
  const size_t most = TAREI_GRAM_MOST;
  TAREI_TRY(tarei_team_new(threads, &work->team, err));
  work->products = tarei_calloc(most * most, sizeof *work->products);
  work->upper = tarei_calloc(most * most, sizeof *work->upper);
  work->lanes = tarei_alloc_aligned((size_t)threads, sizeof *work->lanes);
  return work->products && work->upper && work->lanes
             ? TARE_OK
             : tarei_fail_memory(err, "rounding of weights", most * most * sizeof(double));
}

static void rounding_work_fini(rounding_work *const work) {
  tarei_team_free(work->team);
  free(work->products);
  free(work->upper);
  free(work->lanes);
}

static tare_status report_rounded(rounding_work *const work, const int64_t n,
                                  tare_error *const err) {
  const tare_calibrate_options *const o = work->options;
  work->done += n;
  return !o->rounding_progress || o->rounding_progress(o->rounding_user, work->done, work->total)
             ? TARE_OK
             : tarei_fail(err, TARE_E_CHECK, "stopped after %lld of %lld weights were rounded",
                          (long long)work->done, (long long)work->total);
}

/* The tensor that a layer reads, perhaps in another order. */
static const char *tensor_of_reader(const tarei_row_reader *const reader) {
  const tarei_graph *const g = reader->graph;
  int value = reader->node->in[0];
  const tarei_node *node;
  while ((node = tarei_producer(g, value)) != NULL && tarei_node_is(node, &tarei_op_transpose)) {
    value = node->in[0];
  }
  return g->values[value].name;
}

/* What the inputs of a block are multiplied by where they are smoothed. */
static void block_factors(const rounding_job *const j, double *const factors) {
  const tarei_weight_view *const view = &j->reader->weights;
  for (size_t i = 0; i < j->size; i++) {
    const size_t channel = input_of_row(view, j->begin + i) / (size_t)view->taps;
    factors[i] = j->smoothing ? ldexp(1, -j->smoothing->exponents[channel]) : 1;
  }
}

static tare_status round_blocks(rounding_work *const work, const tarei_gram *const gram,
                                rounding_job *const j, tare_error *const err) {
  double factors[TAREI_GRAM_MOST];
  const size_t items = ((size_t)j->reader->weights.n + LANES - 1) / LANES;
  for (int64_t b = 0; b < tarei_gram_blocks(gram->k); b++) {
    j->begin = (size_t)tarei_gram_begin(gram->k, b);
    j->size = (size_t)tarei_gram_begin(gram->k, b + 1) - j->begin;
    block_factors(j, factors);
    block_fill(gram, b, j->size, factors, work->products);
    block_factor(j->size, work->products, work->upper);
    tarei_team_run(work->team, items, round_channels, j);
    TAREI_TRY(report_rounded(work, j->reader->weights.n * (int64_t)j->size, err));
  }
  return TARE_OK;
}

static void pack_bits(const uint8_t *const ups, const size_t n, uint8_t *const bits) {
  for (size_t i = 0; i < n; i++) {
    bits[i / 8] = (uint8_t)(bits[i / 8] | ups[i] << i % 8);
  }
}

static tare_status decide_layer(rounding_work *const work, const tarei_row_reader *const reader,
                                const tarei_gram *const gram, tare_stats *const stats,
                                tare_error *const err) {
  const tarei_weight_view *const view = &reader->weights;
  const size_t n_weights = (size_t)(view->n * view->k);
  const float *const weights = reader->graph->values[view->value].data->data;
  float *const scales = tarei_calloc((size_t)view->n, sizeof *scales);
  uint8_t *const ups = tarei_calloc(n_weights, 1);
  uint8_t *const bits = tarei_calloc(tarei_rounding_bytes(view->n, view->k), 1);
  rounding_job j = {
      .kernels = work->kernels,
      .reader = reader,
      .smoothing = tarei_named_find(TAREI_NAMED(&stats->smoothings), tensor_of_reader(reader)),
      .weights = weights,
      .scales = scales,
      .upper = work->upper,
      .lanes = work->lanes,
      .ups = ups};
  tare_status status = TARE_OK;
  if (!scales || !ups || !bits) {
    status = tarei_fail_memory(err, reader->node->name, n_weights);
  } else {
    for (int64_t c = 0; c < view->n; c++) {
      scales[c] = tarei_weight_view_scale(weights, view, c);
    }
    status = round_blocks(work, gram, &j, err);
  }
  if (status == TARE_OK) {
    pack_bits(ups, n_weights, bits);
    status = tarei_roundings_add(&stats->roundings, reader->node->name, view->n, view->k,
                                 tarei_weight_view_hash(reader->graph, view), bits, err);
  }
  free(scales);
  free(ups);
  free(bits);
  return status;
}

/* Weights that are not finite stay in float. Models may give nodes one name: the first of them has
 * the rounding, which does not fit the weights of others. */
static bool can_be_rounded(const tarei_row_reader *const reader, const tarei_gram *const gram,
                           const tarei_names *const taken) {
  return gram->n_rows > 0 && tarei_names_find(taken, reader->node->name) < 0 &&
         tarei_is_finite(reader->graph, reader->weights.value);
}

static int64_t count_weights(const tare_plan *const plan, const tarei_grams *const grams) {
  int64_t n = 0;
  for (int i = 0; i < grams->n; i++) {
    const tarei_weight_view *const view = &tarei_plan_reader(plan, i)->weights;
    n += view->n * view->k;
  }
  return n;
}

static tare_status decide_layers(rounding_work *const work, const tare_plan *const plan,
                                 const tarei_grams *const grams, tarei_names *const taken,
                                 tare_stats *const stats, tare_error *const err) {
  if (!tarei_names_init(taken, (size_t)grams->n)) {
    return tarei_fail_memory(err, "names", (size_t)grams->n * sizeof *taken->slots);
  }
  work->total = count_weights(plan, grams);
  TAREI_TRY(report_rounded(work, 0, err));
  for (int i = 0; i < grams->n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(plan, i);
    const tarei_gram *const gram = &grams->all[reader->rows_of];
    if (can_be_rounded(reader, gram, taken)) {
      tarei_names_add(taken, reader->node->name, i);
      TAREI_TRY(decide_layer(work, reader, gram, stats, err));
    } else {
      TAREI_TRY(report_rounded(work, reader->weights.n * reader->weights.k, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_round_weights(const tare_plan *const plan, const tarei_grams *const grams,
                                const tarei_kernels *const kernels, const int threads,
                                const tare_calibrate_options *const options,
                                tare_stats *const stats, tare_error *const err) {
  rounding_work work = {.kernels = kernels, .options = options};
  tarei_names taken = {0};
  tare_status status;
  TAREI_TRY_GOTO(rounding_work_init(&work, threads, err), done);
  status = decide_layers(&work, plan, grams, &taken, stats, err);
done:
  tarei_names_fini(&taken);
  rounding_work_fini(&work);
  return status;
}
