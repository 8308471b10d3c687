/* Recall of neighbours: of the k samples nearest to a sample by the embeddings of the reference,
 * the share that is among the k nearest by those of the plan. Near is a large cosine; of equally
 * near ones the first comes first. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/metrics/embedding.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

enum { NEIGHBOURS = 10 };

/* A row has the embedding of the plan, then that of the reference. */
static tare_status metric_recall_add(const tarei_metric_case *const c,
                                     tare_metric_states *const states, tare_error *const err) {
  const tare_tensor *const outputs[] = {c->got, c->want};
  for (int i = 0; i < 2; i++) {
    double *embedding = NULL;
    int64_t n = 0;
    TAREI_TRY(tarei_embedding_make(outputs[i], c->extents, &embedding, &n, err));
    const int64_t before = states->rows[0].n / 2;
    const bool same = n == 0 || before == 0 || before == n || states->n_rows == 1;
    const tare_status status =
        same ? tarei_metric_states_add(states, embedding, n, err)
             : tarei_fail(err, TARE_E_USAGE,
                          "%s: metric recall needs embeddings of one size, but output '%s' has "
                          "%lld elements, and %lld before",
                          c->sample->name, c->output, (long long)n, (long long)before);
    free(embedding);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* --- neighbours ------------------------------------------------------------------------------- */

typedef struct recall_neighbour {
  double cosine;
  int64_t row;
} recall_neighbour;

static bool recall_is_nearer(const recall_neighbour a, const recall_neighbour b) {
  return a.cosine > b.cosine || (a.cosine == b.cosine && a.row < b.row);
}

/* Keeps the k nearest, the nearest first; *n of them so far. */
static void recall_insert(recall_neighbour *const nearest, int *const n, const int k,
                          const recall_neighbour one) {
  if (*n == k && !recall_is_nearer(one, nearest[k - 1])) {
    return;
  }
  int at = *n < k ? (*n)++ : k - 1;
  for (; at > 0 && recall_is_nearer(one, nearest[at - 1]); at--) {
    nearest[at] = nearest[at - 1];
  }
  nearest[at] = one;
}

/* The k rows of the same level nearest to a row; `side` 0: of the plan, 1: of the reference. */
static int recall_nearest(const tare_metric_states *const s, const int64_t row, const int side,
                          const int k, recall_neighbour *const nearest) {
  const tarei_metric_row *const own = &s->rows[row];
  const int64_t n = own->n / 2;
  int found = 0;
  for (int64_t r = 0; r < s->n_rows; r++) {
    if (r != row && s->rows[r].n == own->n && s->rows[r].level == own->level) {
      const double cosine = tarei_embedding_cosine(s->numbers + own->at + side * n,
                                                   s->numbers + s->rows[r].at + side * n, n);
      recall_insert(nearest, &found, k, (recall_neighbour){isnan(cosine) ? -2 : cosine, r});
    }
  }
  return found;
}

static int recall_hits(const recall_neighbour *const a, const recall_neighbour *const b,
                       const int n) {
  int hits = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      hits += a[i].row == b[j].row;
    }
  }
  return hits;
}

/* Hits and neighbours of every row take the place of its embeddings. */
static void recall_replace(tare_metric_states *const s, const double *const sums) {
  s->n_numbers = 0;
  for (int64_t r = 0; r < s->n_rows; r++) {
    tarei_metric_row *const row = &s->rows[r];
    row->n = row->n && sums[2 * r + 1] > 0 ? 2 : 0;
    row->at = s->n_numbers;
    for (int64_t i = 0; i < row->n; i++) {
      s->numbers[s->n_numbers++] = sums[2 * r + i];
    }
  }
}

static tare_status metric_recall_finish(tare_metric_states *const s, tare_error *const err) {
  const int k = s->settings.neighbours ? s->settings.neighbours : NEIGHBOURS;
  double *const sums = tarei_calloc((size_t)s->n_rows, 2 * sizeof *sums);
  recall_neighbour *const got = tarei_calloc((size_t)k, sizeof *got);
  recall_neighbour *const want = tarei_calloc((size_t)k, sizeof *want);
  const bool good = sums && got && want;
  for (int64_t r = 0; good && r < s->n_rows; r++) {
    if (s->rows[r].n) {
      const int n = recall_nearest(s, r, 1, k, want);
      (void)recall_nearest(s, r, 0, k, got);
      sums[2 * r] = recall_hits(got, want, n);
      sums[2 * r + 1] = n;
    }
  }
  if (good) {
    recall_replace(s, sums);
  }
  free(sums);
  free(got);
  free(want);
  return good ? TARE_OK : tarei_fail_memory(err, "neighbours", (size_t)k * sizeof *got);
}

const tarei_metric tarei_metric_recall = {
    .name = "recall",
    .summary = "share of the nearest samples, by embeddings, that are those of float",
    .unit = TAREI_PERCENT,
    .truth = TARE_TRUTH_REFERENCE,
    .takes = TAREI_METRIC_BIT(NEIGHBOURS),
    .least_rank = 1,
    .add = metric_recall_add,
    .finish = metric_recall_finish,
    .n_sums = 2,
    .of_sums = tarei_metric_ratio};
