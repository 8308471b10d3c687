#include "datasets/tokenizer/truncation.h"

#include <string.h>

#include "base/str.h"

enum { LONGEST_FIRST, ONLY_FIRST, ONLY_SECOND };

tare_status tarei_truncation_read(const cJSON *const value, tarei_truncation *const out,
                                  tare_error *const err) {
  static const char *const STRATEGIES[] = {"LongestFirst", "OnlyFirst", "OnlySecond"};
  static const char *const DIRECTIONS[] = {"Right", "Left"};
  const char *strategy = STRATEGIES[0], *direction = DIRECTIONS[0];
  int32_t most = 0;
  int left = 0;
  if (!value) {
    return TARE_OK;
  }
  tare_status status = tarei_field_int(value, "max_length", 1, &most, err);
  TAREI_TRY_GOTO(status, failed);
  TAREI_TRY_GOTO(tarei_field_text(value, "strategy", &strategy, err), failed);
  TAREI_TRY_GOTO(tarei_field_text(value, "direction", &direction, err), failed);
  TAREI_TRY_GOTO(tarei_pick("strategy", strategy, STRATEGIES, 3, &out->strategy, err), failed);
  TAREI_TRY_GOTO(tarei_pick("direction", direction, DIRECTIONS, 2, &left, err), failed);
  out->most = most;
  out->left = left;
  return TARE_OK;
failed:
  return tarei_fail_in(err, status == TARE_E_USAGE ? TARE_E_INPUT : status, "'truncation'");
}

static void truncation_cut(const tarei_truncation *const truncation, tarei_token_ids *const text,
                           const size_t n) {
  if (n < text->n) {
    if (truncation->left) {
      memmove(text->items, text->items + (text->n - n), n * sizeof *text->items);
    }
    text->n = n;
  }
}

/* As many tokens of both as fit, of the longer one first. */
static void cut_longest(const tarei_truncation *const truncation, const size_t most,
                        tarei_token_ids *const text, tarei_token_ids *const pair) {
  size_t least = text->n < pair->n ? text->n : pair->n;
  const bool swap = text->n > pair->n;
  size_t longer = least < most && most - least > least ? most - least : least;
  if (least + longer > most) {
    least = most / 2;
    longer = most - least;
  }
  truncation_cut(truncation, text, swap ? longer : least);
  truncation_cut(truncation, pair, swap ? least : longer);
}

tare_status tarei_truncation_apply(const tarei_truncation *const truncation, const size_t added,
                                   tarei_token_ids *const text, tarei_token_ids *const pair,
                                   tare_error *const err) {
  const size_t limit = (size_t)truncation->most, total = text->n + (pair ? pair->n : 0);
  const size_t most = limit > added ? limit - added : 0;
  if (!limit || total <= most) {
    return TARE_OK;
  }
  if (most == 0) {
    text->n = 0;
    if (pair) {
      pair->n = 0;
    }
    return TARE_OK;
  }
  if (truncation->strategy == LONGEST_FIRST && pair) {
    cut_longest(truncation, most, text, pair);
    return TARE_OK;
  }
  tarei_token_ids *const which = truncation->strategy == ONLY_SECOND ? pair : text;
  if (!which || which->n <= total - most) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%zu tokens are more than the %zu that fit, and the text that may be cut is "
                      "too short",
                      total, most);
  }
  truncation_cut(truncation, which, which->n - (total - most));
  return TARE_OK;
}
