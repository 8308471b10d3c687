#include "calib/methods/rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "calib/methods/clipping.h"
#include "calib/methods/reader_inputs.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/weights/round_weights.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/named.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

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
    a[i * size + i] += trace > 0 ? TAREI_DAMPING * trace / (double)size : 1;
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
  double *loss;                 /* [n]: sum over the blocks, in squares of the layer's outputs */
} rounding_job;

/* Some channels. Weights are in units of their scales: what is above the whole number that they are
 * rounded down to. Those of +-127 stay, so that the scale can be found from the weights again. */
typedef struct rounding_lanes {
  float errors[TAREI_GRAM_MOST][LANES]; /* a panel of kernels */
  float above[TAREI_GRAM_MOST][LANES];
  float sums[CHUNK][LANES];
  bool fixed[TAREI_GRAM_MOST][LANES], up[TAREI_GRAM_MOST][LANES];
} rounding_lanes;

static void lanes_fill(const rounding_job *const j, const size_t first, const size_t n,
                       rounding_lanes *const to) {
  const tarei_weight_view *const view = &j->reader->weights;
  for (size_t i = 0; i < j->size; i++) {
    const int64_t input = tarei_weight_view_input(view, (int64_t)(j->begin + i));
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
    const size_t input = (size_t)tarei_weight_view_input(view, (int64_t)(j->begin + i));
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
  for (size_t c = 0; c < n; c++) {
    const double scale = (double)j->scales[first + c];
    j->loss[first + c] += fmin(together[c], alone[c]) * scale * scale;
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

/* What the inputs of a block are multiplied by where they are smoothed. */
static void block_factors(const rounding_job *const j, double *const factors) {
  for (size_t i = 0; i < j->size; i++) {
    factors[i] = tarei_reader_factor(j->reader, j->smoothing, (int64_t)(j->begin + i));
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

/* What is decided for a layer with some scales. */
typedef struct layer_rounding {
  float *scales; /* [n] */
  double *loss;  /* [n] */
  uint8_t *ups;  /* [n][k] */
} layer_rounding;

static tare_status layer_rounding_init(layer_rounding *const r,
                                       const tarei_row_reader *const reader,
                                       tare_error *const err) {
  const size_t n = (size_t)reader->weights.n, k = (size_t)reader->weights.k;
  *r = (layer_rounding){.scales = tarei_calloc(n, sizeof *r->scales),
                        .loss = tarei_calloc(n, sizeof *r->loss),
                        .ups = tarei_calloc(n * k, 1)};
  return r->scales && r->loss && r->ups ? TARE_OK
                                        : tarei_fail_memory(err, reader->node->name, n * k);
}

static void layer_rounding_fini(layer_rounding *const r) {
  free(r->scales);
  free(r->loss);
  free(r->ups);
}

/* What a layer reads, and what becomes of it. */
typedef struct rounding_layer {
  const tarei_row_reader *reader;
  const tarei_gram *gram;
  tare_stats *stats;
} rounding_layer;

static tare_status round_with(rounding_work *const work, const rounding_layer *const l,
                              const tarei_layer_numbers *const clipping, layer_rounding *const to,
                              tare_error *const err) {
  const tarei_weight_view *const view = &l->reader->weights;
  const tarei_weight_choice choice = {.clipping = clipping};
  const float *const weights = l->reader->graph->values[view->value].data->data;
  TAREI_TRY(layer_rounding_init(to, l->reader, err));
  for (int64_t c = 0; c < view->n; c++) {
    to->scales[c] = tarei_chosen_scale(&choice, weights, view, c);
  }
  rounding_job j = {.kernels = work->kernels,
                    .reader = l->reader,
                    .smoothing = tarei_reader_smoothing(l->reader, &l->stats->smoothings),
                    .weights = weights,
                    .scales = to->scales,
                    .upper = work->upper,
                    .lanes = work->lanes,
                    .ups = to->ups,
                    .loss = to->loss};
  return round_blocks(work, l->gram, &j, err);
}

/* The scales that were chosen for the weights of a layer; NULL: none. */
static tarei_layer_numbers *clipping_of_layer(tarei_numbers *const list,
                                              const tarei_row_reader *const reader,
                                              const uint64_t hash) {
  const tarei_layer_numbers *const found = tarei_named_find(TAREI_NAMED(list), reader->node->name);
  return found && found->n == reader->weights.n && found->hash == hash
             ? &list->items[found - list->items]
             : NULL;
}

/* Channels that lose less with the largest magnitude / 127 keep that scale; all do where the layer
 * gains too little, and then it is false. */
static bool keep_better(const tarei_weight_view *const view, const tare_clipping mode,
                        const layer_rounding *const widest, layer_rounding *const clipped,
                        float *const scales) {
  double before = 0, after = 0;
  for (int64_t c = 0; c < view->n; c++) {
    before += widest->loss[c];
    after += fmin(widest->loss[c], clipped->loss[c]);
  }
  const bool gains = tarei_clipping_gains(mode, before, after);
  for (int64_t c = 0; c < view->n; c++) {
    if (!gains || widest->loss[c] <= clipped->loss[c]) {
      const size_t at = (size_t)(c * view->k);
      memcpy(clipped->ups + at, widest->ups + at, (size_t)view->k);
      scales[c] = widest->scales[c];
    }
  }
  return gains;
}

/* Which scales of a layer are worth it shows when its weights are rounded. */
static tare_status choose_scales(rounding_work *const work, const rounding_layer *const l,
                                 layer_rounding *const decided, uint64_t *const hash,
                                 tare_error *const err) {
  const tarei_weight_view *const view = &l->reader->weights;
  tarei_numbers *const clippings = &l->stats->numbers[TAREI_NUMBERS_CLIPPING];
  tarei_layer_numbers *const clipping = clipping_of_layer(clippings, l->reader, *hash);
  TAREI_TRY(round_with(work, l, clipping, decided, err));
  if (!clipping) {
    return TARE_OK;
  }
  layer_rounding widest = {0};
  const tare_status status = round_with(work, l, NULL, &widest, err);
  if (status == TARE_OK) {
    if (keep_better(view, work->options->clipping, &widest, decided, clipping->values)) {
      *hash = tarei_clipped_hash(*hash, clipping);
    } else {
      tarei_numbers_remove(clippings, (int)(clipping - clippings->items));
    }
  }
  layer_rounding_fini(&widest);
  return status;
}

static tare_status decide_layer(rounding_work *const work, const rounding_layer *const l,
                                tare_error *const err) {
  const tarei_weight_view *const view = &l->reader->weights;
  const size_t n_weights = (size_t)(view->n * view->k);
  uint8_t *const bits = tarei_calloc(tarei_rounding_bytes(view->n, view->k), 1);
  uint64_t hash = tarei_weight_view_hash(l->reader->graph, view);
  layer_rounding decided = {0};
  tare_status status = bits ? choose_scales(work, l, &decided, &hash, err)
                            : tarei_fail_memory(err, l->reader->node->name, n_weights);
  if (status == TARE_OK) {
    pack_bits(decided.ups, n_weights, bits);
    status = tarei_roundings_add(&l->stats->roundings, l->reader->node->name, view->n, view->k,
                                 hash, bits, err);
  }
  layer_rounding_fini(&decided);
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

/* Clipped ones are rounded twice. */
static int64_t count_weights(const tare_plan *const plan, const tarei_grams *const grams,
                             const tare_stats *const stats) {
  const tarei_numbers *const clippings = &stats->numbers[TAREI_NUMBERS_CLIPPING];
  int64_t n = 0;
  for (int i = 0; i < grams->n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(plan, i);
    const bool clipped = tarei_named_find(TAREI_NAMED(clippings), reader->node->name) != NULL;
    n += reader->weights.n * reader->weights.k * (clipped ? 2 : 1);
  }
  return n;
}

static tare_status decide_layers(rounding_work *const work, const tare_plan *const plan,
                                 const tarei_grams *const grams, tarei_names *const taken,
                                 tare_stats *const stats, tare_error *const err) {
  if (!tarei_names_init(taken, (size_t)grams->n)) {
    return tarei_fail_memory(err, "names", (size_t)grams->n * sizeof *taken->slots);
  }
  work->total = count_weights(plan, grams, stats);
  TAREI_TRY(report_rounded(work, 0, err));
  for (int i = 0; i < grams->n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(plan, i);
    const tarei_gram *const gram = &grams->all[reader->rows_of];
    if (can_be_rounded(reader, gram, taken)) {
      tarei_names_add(taken, reader->node->name, i);
      const rounding_layer l = {.reader = reader, .gram = gram, .stats = stats};
      TAREI_TRY(decide_layer(work, &l, err));
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
