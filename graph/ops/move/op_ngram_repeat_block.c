/* NGramRepeatBlock of com.microsoft: tokens that would repeat the last ngram_size tokens of what is
 * there already get a score of minus infinity. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

enum { TOKENS, SCORES };

static tare_status infer_ngram_repeat_block(tarei_graph *const graph, tarei_node *const node,
                                            tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const tokens = tarei_ops_in(graph, node, TOKENS);
  const tarei_value *const scores = tarei_ops_in(graph, node, SCORES);
  const int64_t size = tarei_attr_int(node, "ngram_size", 0);
  const tarei_shape out = tarei_ops_shape(scores);
  if (size < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'ngram_size': expected 1 or more, got %" PRId64,
                      size);
  }
  TAREI_TRY(tarei_ops_want_dtype(tokens, TARE_I64, err));
  TAREI_TRY(tarei_ops_want_dtype(scores, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_rank(tokens, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(scores, 2, 2, err));
  if (tarei_ops_differ(graph, tokens->dims[0], scores->dims[0])) {
    return tarei_fail(err, TARE_E_MODEL, "tokens '%s' have another batch than scores '%s'",
                      tokens->name, scores->name);
  }
  return tarei_ops_give(graph, node, 0, scores->dtype, &out, err);
}

const tarei_op tarei_op_ms_ngram_repeat_block = {
    .name = "NGramRepeatBlock",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_ngram_repeat_block,
};
