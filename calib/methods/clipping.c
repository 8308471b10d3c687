#include "calib/methods/clipping.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/team.h"
#include "calib/methods/reader_inputs.h"
#include "engine/plan.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/named.h"

#define GAIN 0.9 /* how much of what they lose layers may keep, for the automatic choice */

/* Scales are the largest magnitude / 127, times 2^(-step / FINE), for steps up to SMALLEST. */
enum { FINE = 256, COARSE = FINE / 8, SMALLEST = 2 * FINE, SUMS = 8 };

bool tarei_clipping_gains(const tare_clipping mode, const double before, const double after) {
  return mode == TARE_CLIPPING_ON ? after < before : after < GAIN * before;
}

/* --- a channel -------------------------------------------------------------------------------- */

/* Weights are within the numbers that adding and subtracting `middle` rounds half to even. */
static double clipping_loss(const float *const w, const float *const importance, const int64_t k,
                            const float scale) {
  const float middle = 12582912.0F; /* 1.5 * 2^23 */
  double sums[SUMS] = {0};
  for (int64_t first = 0; first < k; first += SUMS) {
    const int64_t n = k - first < SUMS ? k - first : SUMS;
    for (int64_t i = 0; i < n; i++) {
      const float x = w[first + i] / scale;
      const float within = x > 127 ? 127 : x < -127 ? -127 : x;
      const float rounded = (within + middle) - middle;
      const double error = (double)w[first + i] - (double)rounded * (double)scale;
      sums[i] += (double)importance[first + i] * error * error;
    }
  }
  double loss = 0;
  for (int i = 0; i < SUMS; i++) {
    loss += sums[i];
  }
  return loss;
}

static float clipping_scale(const float amax, const int step) {
  return tarei_weight_scale_of((float)((double)amax * exp2(-(double)step / FINE)));
}

typedef struct clipping_best {
  int step;
  double loss;
} clipping_best;

static void clipping_try(const float *const w, const float *const importance, const int64_t k,
                         const float amax, const int step, clipping_best *const best) {
  const double loss = clipping_loss(w, importance, k, clipping_scale(amax, step));
  if (loss < best->loss) {
    *best = (clipping_best){step, loss};
  }
}

/* The best scale of a channel; `widest` receives the loss with the largest, `least` that with it.
 */
static float clipping_choose(const float *const w, const float *const importance, const int64_t k,
                             double *const widest, double *const least) {
  float amax = 0;
  for (int64_t i = 0; i < k; i++) {
    amax = fmaxf(amax, fabsf(w[i]));
  }
  *widest = clipping_loss(w, importance, k, tarei_weight_scale_of(amax));
  clipping_best best = {0, *widest};
  for (int step = COARSE; step <= SMALLEST; step += COARSE) {
    clipping_try(w, importance, k, amax, step, &best);
  }
  const int middle = best.step;
  for (int step = middle - COARSE + 1; step < middle + COARSE; step++) {
    if (step > 0) {
      clipping_try(w, importance, k, amax, step, &best);
    }
  }
  *least = best.loss;
  return clipping_scale(amax, best.step);
}

/* --- a layer ---------------------------------------------------------------------------------- */

typedef struct clipping_job {
  const float *weights;
  const tarei_weight_view *view;
  const float *importance; /* [k] */
  float *rows;             /* [threads][k] */
  float *scales;           /* [n] */
  double *widest, *least;  /* [n], losses */
} clipping_job;

static void clip_channel(const void *const user, const size_t item, const int thread) {
  const clipping_job *const j = user;
  float *const row = j->rows + (size_t)thread * (size_t)j->view->k;
  for (int64_t i = 0; i < j->view->k; i++) {
    row[i] = j->weights[tarei_weight_view_at(j->view, (int64_t)item, i)];
  }
  j->scales[item] =
      clipping_choose(row, j->importance, j->view->k, &j->widest[item], &j->least[item]);
}

typedef struct clipping_work {
  const tare_plan *plan;
  const tarei_grams *grams;
  tare_clipping mode;
  tarei_team *team;
  tarei_names taken;
  tare_stats *stats;
  tare_error *err;
} clipping_work;

/* Mean squares of the inputs; all the same where no rows of the layer were seen. */
static void clipping_weigh(const clipping_work *const work, const tarei_step *const step,
                           const int64_t k, float *const importance) {
  const tarei_row_reader *const reader =
      work->grams->n && step->reader >= 0 ? tarei_plan_reader(work->plan, step->reader) : NULL;
  const tarei_gram *const gram = reader ? &work->grams->all[reader->rows_of] : NULL;
  if (gram && gram->n_rows > 0) {
    tarei_reader_squares(reader, gram, tarei_reader_smoothing(reader, &work->stats->smoothings),
                         importance);
    return;
  }
  for (int64_t i = 0; i < k; i++) {
    importance[i] = 1;
  }
}

static tare_status clip_layer(clipping_work *const work, const tarei_step *const step,
                              const tarei_weight_view *const view) {
  const size_t n = (size_t)view->n, k = (size_t)view->k;
  const size_t threads = (size_t)tarei_team_threads(work->team);
  float *const importance = tarei_calloc(k, sizeof *importance);
  clipping_job j = {.weights = step->graph->values[view->value].data->data,
                    .view = view,
                    .importance = importance,
                    .rows = tarei_calloc(threads * k, sizeof *j.rows),
                    .scales = tarei_calloc(n, sizeof *j.scales),
                    .widest = tarei_calloc(n, sizeof *j.widest),
                    .least = tarei_calloc(n, sizeof *j.least)};
  tare_status status = TARE_OK;
  double before = 0, after = 0;
  if (!importance || !j.rows || !j.scales || !j.widest || !j.least) {
    status = tarei_fail_memory(work->err, step->node->name, threads * k * sizeof *j.rows);
  } else {
    clipping_weigh(work, step, view->k, importance);
    tarei_team_run(work->team, n, clip_channel, &j);
    for (size_t c = 0; c < n; c++) {
      before += j.widest[c];
      after += j.least[c];
    }
  }
  if (status == TARE_OK && tarei_clipping_gains(work->mode, before, after)) {
    status =
        tarei_numbers_add(&work->stats->numbers[TAREI_NUMBERS_CLIPPING], step->node->name, view->n,
                          tarei_weight_view_hash(step->graph, view), j.scales, work->err);
  }
  free(importance);
  free(j.rows);
  free(j.scales);
  free(j.widest);
  free(j.least);
  return status;
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Weights that are not finite stay in float. Models may give nodes one name: the first of them has
 * the scales, which do not fit the weights of others. */
static tare_status clip_part(clipping_work *const work, const tarei_part *const part) {
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_step *const step = &part->steps[s];
    tarei_weight_view view;
    if (!tarei_op_int8_form(step->node->op) ||
        !tarei_weight_view_of(step->graph, step->node, &view) ||
        !tarei_is_finite(step->graph, view.value) ||
        tarei_names_find(&work->taken, step->node->name) >= 0) {
      continue;
    }
    if (!tarei_names_grow(&work->taken)) {
      return tarei_fail_memory(work->err, "names", sizeof *work->taken.slots);
    }
    tarei_names_add(&work->taken, step->node->name, s);
    TAREI_TRY(clip_layer(work, step, &view));
  }
  for (int i = 0; i < part->n_children; i++) {
    TAREI_TRY(clip_part(work, part->children[i]));
  }
  return TARE_OK;
}

tare_status tarei_clip_weights(const tare_plan *const plan, const tarei_grams *const grams,
                               const tare_clipping mode, const int threads, tare_stats *const stats,
                               tare_error *const err) {
  clipping_work work = {.plan = plan, .grams = grams, .mode = mode, .stats = stats, .err = err};
  if (mode == TARE_CLIPPING_OFF) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_team_new(threads, &work.team, err));
  const tare_status status = tarei_names_init(&work.taken, 1)
                                 ? clip_part(&work, &plan->root)
                                 : tarei_fail_memory(err, "names", sizeof *work.taken.slots);
  tarei_names_fini(&work.taken);
  tarei_team_free(work.team);
  tarei_named_sort(TAREI_NAMED(&stats->numbers[TAREI_NUMBERS_CLIPPING]));
  return status;
}
