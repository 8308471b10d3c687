/* Unigram: the division into tokens whose scores have the largest sum (Viterbi). */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "datasets/tokenizer/byte_tokens.h"
#include "datasets/tokenizer/token_model.h"

static const double UNKNOWN_PENALTY = 10;

typedef struct unigram_options {
  double *scores; /* by number */
  double unknown_score;
  int32_t unknown; /* -1: none */
  bool byte_fallback;
  tarei_byte_tokens bytes;
} unigram_options;

static tare_status read_token(const cJSON *const entry, const int32_t id, tarei_vocab *const vocab,
                              unigram_options *const o, tare_error *const err) {
  const cJSON *const token = cJSON_GetArrayItem(entry, 0), *const score =
                                                               cJSON_GetArrayItem(entry, 1);
  if (cJSON_GetArraySize(entry) != 2 || !cJSON_IsString(token) || !cJSON_IsNumber(score) ||
      !isfinite(score->valuedouble)) {
    return tarei_fail(err, TARE_E_INPUT, "token %d is not a pair of text and score", id);
  }
  o->scores[id] = score->valuedouble;
  o->unknown_score = fmin(o->unknown_score, score->valuedouble);
  return tarei_vocab_add(vocab, token->valuestring, id, err);
}

static tare_status unigram_read(const cJSON *const object, tarei_vocab *const vocab,
                                void *const state, tare_error *const err) {
  unigram_options *const o = state;
  const cJSON *const tokens = tarei_field(object, "vocab");
  if (!cJSON_IsArray(tokens)) {
    return tarei_fail(err, TARE_E_INPUT, "'vocab' is not a list of tokens and scores");
  }
  const int n = cJSON_GetArraySize(tokens);
  TAREI_TRY(tarei_vocab_init(vocab, (size_t)n, err));
  o->scores = tarei_calloc((size_t)n, sizeof *o->scores);
  if (!o->scores) {
    return tarei_fail_memory(err, "scores", (size_t)n * sizeof *o->scores);
  }
  o->unknown_score = INFINITY;
  int32_t id = 0;
  const cJSON *entry;
  cJSON_ArrayForEach(entry, tokens) {
    TAREI_TRY(read_token(entry, id++, vocab, o, err));
  }
  o->unknown_score -= UNKNOWN_PENALTY;
  o->unknown = -1;
  TAREI_TRY(tarei_field_int(object, "unk_id", 0, &o->unknown, err));
  if (o->unknown >= n) {
    return tarei_fail(err, TARE_E_INPUT, "'unk_id' is %d, the vocabulary has %d tokens", o->unknown,
                      n);
  }
  TAREI_TRY(tarei_field_bool(object, "byte_fallback", &o->byte_fallback, err));
  tarei_byte_tokens_find(vocab, &o->bytes);
  return TARE_OK;
}

/* The best division of the text up to here: its last token. */
typedef struct unigram_node {
  double score;
  size_t start;
  int32_t id;
  bool reached;
} unigram_node;

static void offer_node(unigram_node *const node, const double score, const size_t start,
                       const int32_t id) {
  if (!node->reached || score > node->score) {
    *node = (unigram_node){score, start, id, true};
  }
}

/* Offers all tokens that begin at `at`, where the character has n bytes. TARE_E_INPUT: none does.
 */
static tare_status offer_tokens(const unigram_options *const o, const tarei_vocab *const vocab,
                                const char *const text, const size_t length, const size_t at,
                                const size_t n, unigram_node *const nodes, tare_error *const err) {
  bool alone = false; /* the character is a token */
  const size_t most = length - at < vocab->longest ? length - at : vocab->longest;
  for (size_t end = 1; end <= most; end++) {
    const bool whole = at + end == length || ((unsigned char)text[at + end] & 0xc0) != 0x80;
    const int32_t id = whole ? tarei_vocab_find(vocab, text + at, end) : -1;
    if (id >= 0) {
      offer_node(&nodes[at + end], nodes[at].score + o->scores[id], at, id);
      alone = alone || end == n;
    }
  }
  if (alone) {
    return TARE_OK;
  }
  if (o->unknown < 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "'%.*s' has no token, and the vocabulary has none for unknown characters",
                      (int)n, text + at);
  }
  offer_node(&nodes[at + n], nodes[at].score + o->unknown_score, at, o->unknown);
  return TARE_OK;
}

/* A token, or several unknown ones as one. */
static void put_token(const unigram_options *const o, const tarei_vocab *const vocab,
                      const char *const text, const size_t length, tarei_token_ids *const out) {
  const int32_t id = tarei_vocab_find(vocab, text, length);
  if (id < 0 && o->byte_fallback && tarei_byte_tokens_add(&o->bytes, text, length, out)) {
    return;
  }
  tarei_token_ids_add(out, id < 0 ? o->unknown : id);
}

/* Links the best division from its beginning: node.start becomes the end of the token there. */
static void turn_around(unigram_node *const nodes, const size_t length) {
  size_t end = length, next = 0;
  while (end > 0) {
    const size_t start = nodes[end].start;
    nodes[end].start = next;
    next = end;
    end = start;
  }
  nodes[0].start = next;
}

static void put_division(const unigram_options *const o, const tarei_vocab *const vocab,
                         const char *const text, const size_t length, unigram_node *const nodes,
                         tarei_token_ids *const out) {
  turn_around(nodes, length);
  for (size_t at = 0; at < length;) {
    size_t end = nodes[at].start;
    if (nodes[end].id == o->unknown) {
      while (end < length && nodes[nodes[end].start].id == o->unknown) {
        end = nodes[end].start;
      }
    }
    put_token(o, vocab, text + at, end - at, out);
    at = end;
  }
}

static tare_status unigram_encode(const void *const state, const tarei_vocab *const vocab,
                                  const char *const text, const size_t length,
                                  tarei_token_ids *const out, tare_error *const err) {
  const unigram_options *const o = state;
  unigram_node *const nodes = tarei_calloc(length + 1, sizeof *nodes);
  if (!nodes) {
    return tarei_fail_memory(err, "a word", (length + 1) * sizeof *nodes);
  }
  tare_status status = TARE_OK;
  for (size_t at = 0, n; at < length && status == TARE_OK; at += n) {
    uint32_t c;
    n = (size_t)tarei_utf8_read(text + at, &c);
    status = offer_tokens(o, vocab, text, length, at, n, nodes, err);
  }
  if (status == TARE_OK) {
    put_division(o, vocab, text, length, nodes, out);
  }
  free(nodes);
  return status;
}

static void unigram_fini(void *const state) {
  free(((unigram_options *)state)->scores);
}

const tarei_token_model tarei_token_model_unigram = {.type = "Unigram",
                                                     .state_bytes = sizeof(unigram_options),
                                                     .read = unigram_read,
                                                     .encode = unigram_encode,
                                                     .fini = unigram_fini};
