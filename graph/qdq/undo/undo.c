#include "graph/qdq/undo/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/edit_uses.h"
#include "graph/qdq/qdq_version.h"

/* --- begin ----------------------------------------------------------------------------------- */

static tare_status undo_begin(tarei_undo *const u, tare_error *const err) {
  const size_t n = u->file->model->graph->n_node;
  u->goes = tarei_calloc(n, sizeof *u->goes);
  u->becomes = tarei_calloc(n, sizeof *u->becomes);
  u->to = tarei_calloc(n, sizeof *u->to);
  if (!u->goes || !u->becomes || !u->to) {
    return tarei_fail_memory(err, "nodes", n);
  }
  TAREI_TRY(tarei_file_types_init(u->file, &u->types, err));
  TAREI_TRY(tarei_graph_name_values(u->graph, &u->values, err));
  TAREI_TRY(tarei_uses_name_makers(u->file->model->graph, &u->makers, err));
  return tarei_edit_begin(u->file, &u->edit, err);
}

/* --- what stays ------------------------------------------------------------------------------ */

static void keep_node(tarei_undo *const u, const Onnx__NodeProto *const node,
                      const char *const reason) {
  if (!TAREI_GROW(u->kept, u->counts.kept, u->cap_kept)) {
    u->edit.failed = true;
    return;
  }
  const char *const name = tarei_onnx_text(node->name);
  tare_kept_node *const to = &u->kept[u->counts.kept++];
  *to = (tare_kept_node){.name = tarei_strdup(*name || !node->n_output ? name : node->output[0]),
                         .op = tarei_strdup(tarei_onnx_text(node->op_type)),
                         .reason = tarei_strdup(reason)};
  u->edit.failed |= !to->name || !to->op || !to->reason;
}

static void keep_bodies(tarei_undo *const u, const Onnx__NodeProto *const node) {
  for (size_t a = 0; a < node->n_attribute; a++) {
    const Onnx__GraphProto *const body = node->attribute[a]->g;
    for (size_t n = 0; body && n < body->n_node; n++) {
      if (tarei_onnx_is_quantized(body->node[n])) {
        keep_node(u, body->node[n], "it is in a body of an If, Loop or Scan");
      }
      keep_bodies(u, body->node[n]);
    }
  }
}

/* The first reader speaks for all. */
static void keep_quantize(tarei_undo *const u, bool *const listed, const char *const integers,
                          const char *const reader) {
  const int maker = tarei_names_find(&u->makers, integers);
  const Onnx__NodeProto *const node = maker < 0 ? NULL : u->file->model->graph->node[maker];
  if (node && tarei_undo_is_quantize(node) && !listed[maker]) {
    listed[maker] = true;
    tarei_str reason = {0};
    tarei_str_add(&reason, "its integers are read by %s", reader);
    u->edit.failed |= reason.failed;
    keep_node(u, node, tarei_str_get(&reason));
    tarei_str_free(&reason);
  }
}

/* A QuantizeLinear whose integers something else reads than a DequantizeLinear. */
static void keep_quantizes(tarei_undo *const u) {
  const Onnx__GraphProto *const graph = u->file->model->graph;
  bool *const listed = tarei_calloc(graph->n_node, sizeof *listed);
  u->edit.failed |= !listed;
  for (size_t n = 0; listed && n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    for (size_t i = 0; i < node->n_input && !tarei_undo_is_dequantize(node); i++) {
      tarei_str reader = {0};
      tarei_str_add(&reader, "'%s' (%s)", tarei_onnx_text(node->name), node->op_type);
      u->edit.failed |= reader.failed;
      keep_quantize(u, listed, node->input[i], tarei_str_get(&reader));
      tarei_str_free(&reader);
    }
  }
  for (size_t i = 0; listed && i < graph->n_output; i++) {
    keep_quantize(u, listed, tarei_onnx_text(graph->output[i]->name), "an output of the model");
  }
  free(listed);
}

/* Why a node that was not spread stays. */
static const char *reason_kept(tarei_undo *const u, const Onnx__NodeProto *const node) {
  const tarei_spread_result *const r = u->spread;
  if (u->next_kept < r->n_kept && r->kept[u->next_kept].node == node) {
    return r->kept[u->next_kept++].why;
  }
  return tarei_spread_is(node, "DynamicQuantizeLinear")
             ? "an operator that stays reads its integers"
             : "its operator is not among those that are turned back";
}

static void undo_decide(tarei_undo *const u) {
  const Onnx__GraphProto *const graph = u->file->model->graph;
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    keep_bodies(u, node);
    if (tarei_undo_is_dequantize(node)) {
      const bool stored = tarei_undo_constant(u, node->input[0]).data &&
                          tarei_names_find(&u->makers, node->input[0]) < 0;
      const char *const why = stored ? tarei_undo_stored(u, n) : tarei_undo_pair(u, n);
      if (why) {
        keep_node(u, node, why);
      }
    } else if (!tarei_undo_is_quantize(node) && tarei_onnx_is_quantized(node)) {
      keep_node(u, node, reason_kept(u, node));
    }
  }
  keep_quantizes(u);
}

/* --- names ----------------------------------------------------------------------------------- */

/* Long chains of names become one step each. */
static void settle_moves(tarei_undo *const u) {
  for (int i = 0; i < u->n_moved; i++) {
    const char *const last = tarei_undo_resolve(u, u->to[i]);
    for (int k = i; k >= 0 && u->to[k] != last;) {
      const char *const next = u->to[k];
      u->to[k] = last;
      k = tarei_names_find(&u->moved, next);
    }
  }
}

/* --- the message ----------------------------------------------------------------------------- */

static void rename_text(tarei_undo *const u, char **const text) {
  const char *const by = *text ? tarei_undo_resolve(u, *text) : NULL;
  if (by != *text) {
    tarei_edit_replace(&u->edit, text, by);
  }
}

static void rename_node(tarei_undo *const u, const Onnx__NodeProto *const node) {
  for (size_t i = 0; i < node->n_input; i++) {
    rename_text(u, &node->input[i]);
  }
  for (size_t o = 0; o < node->n_output; o++) {
    rename_text(u, &node->output[o]);
  }
  for (size_t a = 0; a < node->n_attribute; a++) {
    const Onnx__GraphProto *const body = node->attribute[a]->g;
    for (size_t n = 0; body && n < body->n_node; n++) {
      rename_node(u, body->node[n]);
    }
    for (size_t o = 0; body && o < body->n_output; o++) {
      rename_text(u, &body->output[o]->name);
    }
  }
}

static const char *in_front_of(const tarei_undo *const u, const Onnx__NodeProto *const dequantize) {
  const int maker = tarei_names_find(&u->makers, dequantize->input[0]);
  return tarei_undo_resolve(u, u->file->model->graph->node[maker]->input[0]);
}

static void lay_nodes(tarei_undo *const u) {
  tarei_edit *const e = &u->edit;
  const size_t n_nodes = u->file->model->graph->n_node;
  for (size_t n = 0; n < n_nodes && !e->failed; n++) {
    Onnx__NodeProto *const node = u->file->model->graph->node[n];
    if (!u->goes[n]) {
      rename_node(u, node);
      tarei_edit_lay(e, node);
      continue;
    }
    if (u->becomes[n]) {
      const char *const in = in_front_of(u, node), *const out = node->output[0];
      const char *const suffix = strcmp(u->becomes[n], "Relu") == 0 ? "_Relu" : "_Identity";
      tarei_edit_node(e, u->becomes[n], "", tarei_edit_name(e, out, suffix), &in, 1, &out, 1);
    }
    tarei_edit_leave(e, node);
  }
}

/* --- what describes the message -------------------------------------------------------------- */

static bool uses_domain(const Onnx__GraphProto *const graph, const char *const domain) {
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    if (strcmp(tarei_onnx_text(node->domain), domain) == 0) {
      return true;
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g && uses_domain(node->attribute[a]->g, domain)) {
        return true;
      }
    }
  }
  return false;
}

static bool drop_import(tarei_onnx_file *const file, const char *const domain) {
  Onnx__ModelProto *const model = file->model;
  for (size_t i = 0; i < model->n_opset_import; i++) {
    if (strcmp(tarei_onnx_text(model->opset_import[i]->domain), domain) == 0) {
      if (!tarei_onnx_file_drop(file, &model->opset_import[i]->base)) {
        return false;
      }
      model->n_opset_import--;
      memmove(&model->opset_import[i], &model->opset_import[i + 1],
              (model->n_opset_import - i) * sizeof model->opset_import[0]);
      return true;
    }
  }
  return true;
}

/* Types and dims of values that nodes made and that are gone. */
static bool drop_infos(tarei_onnx_file *const file, const bool *const was_made,
                       const tarei_names *const makers) {
  Onnx__GraphProto *const graph = file->model->graph;
  size_t n = 0;
  bool good = true;
  for (size_t i = 0; i < graph->n_value_info; i++) {
    Onnx__ValueInfoProto *const info = graph->value_info[i];
    const bool made = tarei_names_find(makers, tarei_onnx_text(info->name)) >= 0;
    const bool lost = good && was_made[i] && !made;
    good = !lost || tarei_onnx_file_drop(file, &info->base);
    if (!lost || !good) {
      graph->value_info[n++] = info;
    }
  }
  graph->n_value_info = n;
  return good;
}

static bool *infos_of_nodes(const tarei_undo *const u) {
  const Onnx__GraphProto *const graph = u->file->model->graph;
  bool *const made = tarei_calloc(graph->n_value_info + 1, sizeof *made);
  for (size_t i = 0; made && i < graph->n_value_info; i++) {
    made[i] = tarei_names_find(&u->makers, tarei_onnx_text(graph->value_info[i]->name)) >= 0;
  }
  return made;
}

static tare_status rewrite_message(tarei_undo *const u, tare_error *const err) {
  static const char CONTRIB[] = "com.microsoft";
  bool *const was_made = infos_of_nodes(u);
  const bool contrib = u->spread->contrib || uses_domain(u->file->model->graph, CONTRIB);
  u->edit.failed |= !was_made;
  lay_nodes(u);
  tarei_names makers = {0};
  tare_status status;
  TAREI_TRY_GOTO(tarei_edit_finish(&u->edit, err), done);
  TAREI_TRY_GOTO(tarei_uses_name_makers(u->file->model->graph, &makers, err), done);
  if (!(drop_infos(u->file, was_made, &makers) &&
        (!contrib || uses_domain(u->file->model->graph, CONTRIB) ||
         drop_import(u->file, CONTRIB)))) {
    status = tarei_fail_memory(err, "types of values", u->file->model->graph->n_value_info);
  }
done:
  tarei_names_fini(&makers);
  free(was_made);
  return status;
}

/* --- all of it ------------------------------------------------------------------------------- */

static tare_status check_any(const tarei_undo *const u, tare_error *const err) {
  if (u->counts.activations || u->counts.constants || u->edit.failed) {
    return TARE_OK;
  }
  return u->counts.kept
             ? tarei_fail(err, TARE_E_UNSUPPORTED,
                          "has no Q/DQ that can be undone: node '%s' (%s) stays because %s",
                          u->kept[0].name, u->kept[0].op, u->kept[0].reason)
             : tarei_fail(err, TARE_E_UNSUPPORTED,
                          "is not quantized: it has no QuantizeLinear or DequantizeLinear");
}

tare_status tarei_undo_qdq(tarei_onnx_file *const file, const tarei_graph *const graph,
                           const tarei_spread_result *const spread, tarei_undo *const out,
                           tare_table **const table, tare_error *const err) {
  *out = (tarei_undo){.file = file, .graph = graph, .spread = spread};
  out->counts.dynamic = (int)spread->n_dynamic;
  TAREI_TRY(undo_begin(out, err));
  undo_decide(out);
  settle_moves(out);
  TAREI_TRY(check_any(out, err));
  TAREI_TRY(tarei_undo_table(out, table, err));
  return rewrite_message(out, err);
}

void tarei_undo_fini(tarei_undo *const u) {
  for (int i = 0; i < u->counts.kept; i++) {
    free((char *)u->kept[i].name);
    free((char *)u->kept[i].op);
    free((char *)u->kept[i].reason);
  }
  free(u->kept);
  free(u->scales);
  free(u->goes);
  free(u->becomes);
  free(u->to);
  tarei_names_fini(&u->values);
  tarei_file_types_fini(&u->types);
  tarei_names_fini(&u->makers);
  tarei_names_fini(&u->moved);
  tarei_edit_fini(&u->edit);
  *u = (tarei_undo){0};
}
