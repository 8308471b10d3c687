/* NGramRepeatBlock: a copy of the scores, unless the output is written over them; then each place
 * at which the last tokens stood before forbids the token that came next. */
#include <math.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"

enum { TOKENS, SCORES };

/* Forbids what followed the last size - 1 tokens; false at a token that has no score. */
static bool forbid(const int64_t *const tokens, const int64_t n, const int64_t size,
                   float *const scores, const int64_t n_scores, int64_t *const bad) {
  for (int64_t i = 0; i <= n - size; i++) {
    int64_t same = 0;
    while (same < size - 1 && tokens[i + same] == tokens[n + 1 - size + same]) {
      same++;
    }
    if (same < size - 1) {
      continue;
    }
    *bad = tokens[i + size - 1];
    if (*bad < 0 || *bad >= n_scores) {
      return false;
    }
    scores[*bad] = -INFINITY;
  }
  return true;
}

static tare_status ngram_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const tokens = r->in[TOKENS], *const scores = r->in[SCORES];
  const int64_t size = tarei_attr_int(step->node, "ngram_size", 1);
  const int64_t n = tokens->dims[1], n_scores = scores->dims[1];
  int64_t bad = 0;
  TAREI_TRY(tarei_want_dim(step, r, TOKENS, 0, scores->dims[0], err));
  if (r->out[0]->data != scores->data) {
    tarei_copy(r, r->out[0]->data, scores->data, (size_t)tare_tensor_count(scores) * sizeof(float));
  }
  for (int64_t b = 0; b < scores->dims[0]; b++) {
    if (!forbid((const int64_t *)tokens->data + b * n, n, size,
                (float *)r->out[0]->data + b * n_scores, n_scores, &bad)) {
      return tarei_fail(err, TARE_E_INPUT, "token %lld of '%s' has no score: expected 0..%lld",
                        (long long)bad, step->graph->values[step->node->in[TOKENS]].name,
                        (long long)n_scores - 1);
    }
  }
  return TARE_OK;
}

static bool ngram_overwrites(const tarei_step *const step, const int input) {
  (void)step;
  return input == SCORES;
}

const tarei_lowering tarei_lower_ms_ngram_repeat_block = {.run = ngram_run,
                                                          .overwrites = ngram_overwrites};
