#include "calib/gram_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
  MOST_OF_A_RUN = 128, /* rows */
  QUIETEST = 16,       /* parts of the loudest row that a row counts as, at least */
};

/* Products of a row cost this many times less than what the layers do with it, in 8 bits and for
 * half of a matrix; a sixteenth of the layers' time is theirs. */
#define CHEAPER 8
#define SHARE 16

/* --- what there is ---------------------------------------------------------------------------- */

/* Output channels of all readers of these rows. */
static int64_t outputs_of_rows(const tare_plan *const plan, const int reader) {
  int64_t n = 0;
  for (int i = reader; i < tarei_plan_n_readers(plan); i++) {
    const tarei_row_reader *const other = tarei_plan_reader(plan, i);
    n += other->rows_of == reader ? other->weights.n : 0;
  }
  return n;
}

static int64_t every_of(const tare_plan *const plan, const int reader) {
  const int64_t k = tarei_plan_reader(plan, reader)->weights.k;
  const int64_t products = k < TAREI_GRAM_MOST ? k : TAREI_GRAM_MOST;
  const int64_t free_of_charge = outputs_of_rows(plan, reader) * CHEAPER;
  return (products * SHARE + free_of_charge - 1) / free_of_charge;
}

tare_status tarei_grams_init_empty(tarei_grams *const grams, const int n, tare_error *const err) {
  *grams = (tarei_grams){.all = tarei_calloc((size_t)n, sizeof *grams->all),
                         .inputs = tarei_calloc((size_t)n, sizeof *grams->inputs),
                         .every = tarei_calloc((size_t)n, sizeof *grams->every)};
  (void)pthread_mutex_init(&grams->mutex, NULL); /* never fails with default attributes on Linux */
  if (!grams->all || !grams->inputs || !grams->every) {
    return tarei_fail_memory(err, "sums of products", (size_t)n * sizeof *grams->all);
  }
  grams->n = n;
  return TARE_OK;
}

tare_status tarei_grams_init(tarei_grams *const grams, const tare_plan *const plan,
                             const bool means, tare_error *const err) {
  TAREI_TRY(tarei_grams_init_empty(grams, tarei_plan_n_readers(plan), err));
  for (int i = 0; i < grams->n; i++) {
    const tarei_row_reader *const reader = tarei_plan_reader(plan, i);
    if (reader->rows_of == i) {
      TAREI_TRY(tarei_gram_init(&grams->all[i], reader->weights.k, err));
      grams->every[i] = every_of(plan, i);
      grams->most_k = reader->weights.k > grams->most_k ? reader->weights.k : grams->most_k;
      TAREI_TRY(means ? tarei_input_sums_init(&grams->inputs[i], reader->weights.k, err) : TARE_OK);
    }
  }
  return TARE_OK;
}

void tarei_grams_fini(tarei_grams *const grams) {
  for (int i = 0; i < grams->n; i++) {
    tarei_gram_fini(&grams->all[i]);
    tarei_input_sums_fini(&grams->inputs[i]);
  }
  (void)pthread_mutex_destroy(&grams->mutex);
  free(grams->all);
  free(grams->inputs);
  free(grams->every);
  *grams = (tarei_grams){0};
}

void tarei_grams_reset(tarei_grams *const grams) {
  for (int i = 0; i < grams->n; i++) {
    if (grams->all[i].sums) {
      tarei_gram_reset(&grams->all[i]);
    }
    tarei_input_sums_reset(&grams->inputs[i]);
  }
}

/* --- a worker --------------------------------------------------------------------------------- */

tare_status tarei_gram_rows_init(tarei_gram_rows *const rows, tarei_grams *const grams,
                                 const tarei_kernels *const kernels, tare_error *const err) {
  const size_t n = (size_t)grams->n;
  *rows = (tarei_gram_rows){.grams = grams,
                            .kernels = kernels,
                            .bytes = tarei_calloc(n, sizeof *rows->bytes),
                            .n_rows = tarei_calloc(n, sizeof *rows->n_rows),
                            .sums = tarei_calloc((size_t)grams->most_k, sizeof *rows->sums)};
  if (!rows->bytes || !rows->n_rows || !rows->sums) {
    return tarei_fail_memory(err, "rows of layers", n * sizeof *rows->bytes);
  }
  return n ? tarei_gram_work_init(&rows->work, err) : TARE_OK;
}

void tarei_gram_rows_fini(tarei_gram_rows *const rows) {
  for (int i = 0; rows->bytes && i < rows->grams->n; i++) {
    free(rows->bytes[i]);
  }
  free(rows->bytes);
  free(rows->n_rows);
  free(rows->floats);
  free(rows->sums);
  tarei_gram_work_fini(&rows->work);
  *rows = (tarei_gram_rows){0};
}

static void gram_rows_add(tarei_gram_rows *const rows, const int reader) {
  tarei_grams *const grams = rows->grams;
  (void)pthread_mutex_lock(&grams->mutex); /* cannot fail on a sound default mutex */
  tarei_gram_add(&grams->all[reader], rows->bytes[reader], rows->n_rows[reader], &rows->work,
                 rows->kernels);
  (void)pthread_mutex_unlock(&grams->mutex);
  rows->n_rows[reader] = 0;
}

void tarei_gram_rows_flush(tarei_gram_rows *const rows) {
  for (int i = 0; i < rows->grams->n; i++) {
    if (rows->n_rows[i] > 0) {
      gram_rows_add(rows, i);
    }
  }
}

void tarei_gram_rows_drop(tarei_gram_rows *const rows) {
  memset(rows->n_rows, 0, (size_t)rows->grams->n * sizeof *rows->n_rows);
}

/* --- rows of a run ---------------------------------------------------------------------------- */

/* The number among all positions of one among those that count. */
static size_t gram_rows_position(const tare_tensor *const of, const int64_t *const extents,
                                 const int64_t index) {
  int64_t rest = index, position = 0, stride = 1;
  for (int d = of->rank - 2; d >= 0; d--) {
    position += rest % extents[d] * stride;
    rest /= extents[d];
    stride *= of->dims[d];
  }
  return (size_t)position;
}

static int64_t positions_that_count(const tare_tensor *const of, const int64_t *const extents) {
  int64_t n = 1;
  for (int d = 0; d < of->rank - 1; d++) {
    n *= extents[d];
  }
  return n;
}

/* The largest magnitude; NAN for a row that is not finite. */
static float amax_of_row(const tarei_gram_rows *const rows, const float *const x, const int64_t k) {
  tarei_minmax found = {.min = INFINITY, .max = -INFINITY};
  rows->kernels->minmax(x, (size_t)k, &found);
  return found.n_nan || found.n_inf ? NAN : fmaxf(-found.min, found.max);
}

static void gram_rows_push(tarei_gram_rows *const rows, const int reader, const float *const x,
                           const float amax) {
  const int64_t k = rows->grams->all[reader].k;
  uint8_t *const to = rows->bytes[reader] + rows->n_rows[reader] * (size_t)k;
  rows->kernels->quantize(x, (size_t)k, 127.0F / amax, TAREI_GRAM_MIDDLE, to);
  if (++rows->n_rows[reader] == TAREI_GRAM_BATCH) {
    gram_rows_add(rows, reader);
  }
}

static tare_status gram_rows_reserve(tarei_gram_rows *const rows, const int reader, const size_t n,
                                     tare_error *const err) {
  const size_t k = (size_t)rows->grams->all[reader].k;
  if (!rows->bytes[reader]) {
    rows->bytes[reader] = tarei_calloc(TAREI_GRAM_BATCH, k);
  }
  if (rows->cap_floats < n * k) {
    free(rows->floats);
    rows->floats = tarei_calloc(n * k, sizeof *rows->floats);
    rows->cap_floats = rows->floats ? n * k : 0;
  }
  return rows->bytes[reader] && rows->floats ? TARE_OK
                                             : tarei_fail_memory(err, "rows of a layer", n * k);
}

/* Adds n rows of one run, those that are finite, to the sums of the inputs. */
static void gram_rows_sum(tarei_gram_rows *const rows, const int reader, const float *const amax,
                          const size_t n) {
  tarei_grams *const grams = rows->grams;
  tarei_input_sums *const to = &grams->inputs[reader];
  int64_t n_rows = 0;
  if (!to->sums) {
    return;
  }
  memset(rows->sums, 0, to->k * sizeof *rows->sums);
  for (size_t r = 0; r < n; r++) {
    const float *const row = rows->floats + r * to->k;
    for (size_t i = 0; isfinite(amax[r]) && i < to->k; i++) {
      rows->sums[i] += (double)row[i];
    }
    n_rows += isfinite(amax[r]) != 0;
  }
  (void)pthread_mutex_lock(&grams->mutex); /* cannot fail on a sound default mutex */
  tarei_input_sums_add(to, rows->sums, n_rows);
  (void)pthread_mutex_unlock(&grams->mutex);
}

/* n rows, `every` positions apart. */
static void gram_rows_quantize(tarei_gram_rows *const rows, const tarei_reading *const reading,
                               const int64_t *const extents, const size_t n, const int64_t every) {
  const int64_t k = rows->grams->all[reading->reader].k;
  float amax[MOST_OF_A_RUN], loudest = 0;
  for (size_t i = 0; i < n; i++) {
    float *const row = rows->floats + i * (size_t)k;
    tarei_reading_row(reading, gram_rows_position(reading->positions, extents, (int64_t)i * every),
                      row);
    amax[i] = amax_of_row(rows, row, k);
    loudest = amax[i] > loudest ? amax[i] : loudest;
  }
  gram_rows_sum(rows, reading->reader, amax, n);
  for (size_t i = 0; i < n; i++) {
    const float scale = fmaxf(amax[i], loudest / QUIETEST);
    if (amax[i] > 0 && isfinite(127.0F / scale)) {
      gram_rows_push(rows, reading->reader, rows->floats + i * (size_t)k, scale);
    }
  }
}

tare_status tarei_gram_rows_take(tarei_gram_rows *const rows, const tarei_reading *const reading,
                                 const int64_t *const extents, tare_error *const err) {
  const int64_t total = positions_that_count(reading->positions, extents);
  const int64_t spread = (total + MOST_OF_A_RUN - 1) / MOST_OF_A_RUN;
  const int64_t least = rows->grams->every[reading->reader];
  const int64_t every = spread > least ? spread : least;
  if (total == 0) {
    return TARE_OK;
  }
  const size_t n = (size_t)((total + every - 1) / every);
  TAREI_TRY(gram_rows_reserve(rows, reading->reader, n, err));
  gram_rows_quantize(rows, reading, extents, n, every);
  return TARE_OK;
}
