/* UnfoldTensor of com.microsoft: windows of `size` elements along an axis, `step` apart, each as
 * the last axis of the output. A Gather of their elements, then a Transpose. */
#include <inttypes.h>

#include "graph/expand/attend.h"

typedef struct unfold_form {
  int x, out, rank, axis;
  int64_t size, step;
} unfold_form;

static tare_status unfold_read(const tarei_graph *const graph, const int index,
                               unfold_form *const f, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK - 1, err));
  *f = (unfold_form){.x = node->in[0],
                     .out = node->out[0],
                     .rank = x->rank,
                     .size = tarei_attr_int(node, "size", 0),
                     .step = tarei_attr_int(node, "step", 1)};
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "dim", -1), x->rank, &f->axis, err));
  if (f->size < 1 || f->size > INT32_MAX || f->step < 1 || f->step > INT32_MAX) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attributes 'size' and 'step': expected 1..%d, got %" PRId64 " and %" PRId64,
                      INT32_MAX, f->size, f->step);
  }
  int64_t length;
  if (tarei_expr_is_const(graph->exprs, x->dims[f->axis], &length) && length < f->size) {
    return tarei_fail(err, TARE_E_MODEL,
                      "axis %d of '%s' has length %" PRId64 ", less than a window of %" PRId64,
                      f->axis, x->name, length, f->size);
  }
  return TARE_OK;
}

/* The whole numbers below n, a scalar of int64. */
static int unfold_count(tarei_build *const b, const int n) {
  const int in[] = {tarei_build_number(b, TARE_I64, 0), n, tarei_build_number(b, TARE_I64, 1)};
  return tarei_build_node(b, "Range", in, 3);
}

static tare_status unfold_expand(tarei_graph *const graph, const int index, tare_error *const err) {
  unfold_form f;
  TAREI_TRY(unfold_read(graph, index, &f, err));
  tarei_build b = tarei_build_at(graph, index);
  const int size = tarei_build_number(&b, TARE_I64, (double)f.size);
  const int step = tarei_build_number(&b, TARE_I64, (double)f.step);
  /* (length - size + step) / step, which is no window where the axis is shorter */
  const int more = tarei_build_number(&b, TARE_I64, (double)(f.step - f.size));
  const int reach = tarei_build_binary(&b, "Add", tarei_attend_length(&b, f.x, f.axis), more);
  const int windows = unfold_count(&b, tarei_build_binary(&b, "Div", reach, step));
  const int starts =
      tarei_attend_unsqueeze(&b, tarei_build_binary(&b, "Mul", windows, step), (int64_t[]){1}, 1);
  const int places = tarei_build_binary(&b, "Add", starts, unfold_count(&b, size));
  const bool last = f.axis == f.rank - 1;
  int taken = last ? f.out : -2;
  tarei_build_outputs(&b, "Gather", (const int[]){f.x, places}, 2, &taken, 1);
  tarei_build_int(&b, "axis", f.axis);
  if (!last) {
    int64_t perm[TARE_MAX_RANK];
    for (int d = 0; d < f.rank; d++) {
      perm[d] = d <= f.axis ? d : d + 1;
    }
    perm[f.rank] = f.axis + 1;
    tarei_build_into(&b, "Transpose", &taken, 1, f.out);
    tarei_build_ints(&b, "perm", perm, f.rank + 1);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_unfold_tensor = {
    .name = "UnfoldTensor",
    .domain = "com.microsoft",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = unfold_expand,
};
