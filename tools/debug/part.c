#include "tools/debug/part.h"

#include <stdlib.h>
#include <string.h>

static bool *new_flags(const int n) {
  bool *const flags = cli_realloc(NULL, (size_t)n, sizeof *flags);
  memset(flags, 0, (size_t)n * sizeof *flags);
  return flags;
}

static bool reads_variable(const whole_model *const w, const int node) {
  const tare_extract_node n = tare_extract_node_at(w->extract, node);
  for (int i = 0; i < n.n_inputs; i++) {
    const int maker = tare_extract_maker(w->extract, n.inputs[i]);
    if (maker < 0 || w->variable[maker]) {
      return true;
    }
  }
  return false;
}

tare_status whole_model_init(whole_model *const out, const char *const path,
                             const tare_load_options *const load, tare_error *const err) {
  CLI_TRY(tare_extract_new(path, load, &out->extract, err));
  out->n_nodes = tare_extract_n_nodes(out->extract);
  out->variable = cli_realloc(NULL, (size_t)out->n_nodes, sizeof *out->variable);
  out->first_output = cli_realloc(NULL, (size_t)out->n_nodes + 1, sizeof *out->first_output);
  out->first_output[0] = 0;
  for (int i = 0; i < out->n_nodes; i++) {
    out->variable[i] = reads_variable(out, i);
    out->first_output[i + 1] =
        out->first_output[i] + tare_extract_node_at(out->extract, i).n_outputs;
  }
  return TARE_OK;
}

void whole_model_fini(whole_model *const whole) {
  tare_extract_free(&whole->extract);
  free(whole->variable);
  free(whole->first_output);
  tare_model_free(&whole->types);
}

bool whole_model_may_cut(const whole_model *const whole, const char *const tensor) {
  const int maker = tare_extract_maker(whole->extract, tensor);
  return maker >= 0 && whole->variable[maker] && whole->types &&
         tare_model_tensor_type(whole->types, tensor) == TARE_F32;
}

static void mark_read(const whole_model *const w, const char *const tensor, bool *const read) {
  const int maker = tare_extract_maker(w->extract, tensor);
  const tare_extract_node node =
      maker < 0 ? (tare_extract_node){.n_outputs = 0} : tare_extract_node_at(w->extract, maker);
  for (int o = 0; o < node.n_outputs; o++) {
    if (strcmp(node.outputs[o], tensor) == 0) {
      read[w->first_output[maker] + o] = true;
    }
  }
}

bool *whole_model_mark_reads(const whole_model *const whole, const bool *const needed,
                             const int begin) {
  bool *const read = new_flags(whole->first_output[whole->n_nodes]);
  for (int i = begin; i < whole->n_nodes; i++) {
    const tare_extract_node node = tare_extract_node_at(whole->extract, i);
    for (int r = 0; (!needed || needed[i]) && r < node.n_inputs; r++) {
      mark_read(whole, node.inputs[r], read);
    }
  }
  return read;
}

/* --- parts ------------------------------------------------------------------------------------ */

void part_init(model_part *const out, const whole_model *const whole) {
  *out = (model_part){
      .whole = whole, .behind = new_flags(whole->n_nodes), .needed = new_flags(whole->n_nodes)};
}

void part_copy(model_part *const to, const model_part *const from) {
  const size_t n = (size_t)from->whole->n_nodes;
  part_init(to, from->whole);
  memcpy(to->behind, from->behind, n * sizeof *to->behind);
  memcpy(to->needed, from->needed, n * sizeof *to->needed);
  cli_list_join(&to->outputs, &from->outputs);
  cli_list_join(&to->inputs, &from->inputs);
}

void part_fini(model_part *const part) {
  free(part->behind);
  free(part->needed);
  cli_list_fini(&part->outputs);
  cli_list_fini(&part->inputs);
}

static void part_read(model_part *const part, const char *const tensor, int *const waiting,
                      int *const n_waiting) {
  const int maker = tare_extract_maker(part->whole->extract, tensor);
  if (maker < 0) {
    return;
  }
  if (part->behind[maker] && whole_model_may_cut(part->whole, tensor)) {
    if (!cli_list_has(&part->inputs, tensor)) {
      cli_list_add(&part->inputs, tensor);
    }
  } else if (!part->needed[maker]) {
    part->needed[maker] = true;
    waiting[(*n_waiting)++] = maker;
  }
}

/* An output is always computed, even if its node is one of those behind. */
static void part_need_outputs(model_part *const part, int *const waiting, int *const n_waiting) {
  for (int i = 0; i < part->outputs.n; i++) {
    const int maker = tare_extract_maker(part->whole->extract, part->outputs.items[i]);
    if (maker >= 0 && !part->needed[maker]) {
      part->needed[maker] = true;
      waiting[(*n_waiting)++] = maker;
    }
  }
}

void part_settle(model_part *const part) {
  int *const waiting = cli_realloc(NULL, (size_t)part->whole->n_nodes, sizeof *waiting);
  int n_waiting = 0;
  memset(part->needed, 0, (size_t)part->whole->n_nodes * sizeof *part->needed);
  part->inputs.n = 0;
  part_need_outputs(part, waiting, &n_waiting);
  while (n_waiting) {
    const tare_extract_node node = tare_extract_node_at(part->whole->extract, waiting[--n_waiting]);
    for (int i = 0; i < node.n_inputs; i++) {
      part_read(part, node.inputs[i], waiting, &n_waiting);
    }
  }
  free(waiting);
}

int part_count(const model_part *const part) {
  int n = 0;
  for (int i = 0; i < part->whole->n_nodes; i++) {
    n += part->needed[i];
  }
  return n;
}

static void add_frontier(const model_part *const part, const int node, const bool *const read,
                         const bool any, cli_list *const out) {
  const tare_extract_node n = tare_extract_node_at(part->whole->extract, node);
  for (int o = 0; o < n.n_outputs; o++) {
    const char *const name = n.outputs[o];
    const bool may = any ? *name && (part->whole->variable[node] || !part->whole->types)
                         : whole_model_may_cut(part->whole, name);
    if (may && (read[part->whole->first_output[node] + o] || cli_list_has(&part->outputs, name))) {
      cli_list_add(out, name);
    }
  }
}

void part_frontier(const model_part *const part, const int end, const bool any,
                   cli_list *const out) {
  bool *const read = whole_model_mark_reads(part->whole, part->needed, end);
  for (int i = 0; i < end; i++) {
    if (part->needed[i]) {
      add_frontier(part, i, read, any, out);
    }
  }
  free(read);
}
