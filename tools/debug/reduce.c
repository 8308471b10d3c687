#include "tools/debug/reduce.h"

#include <string.h>

#include "tools/say.h"

enum { MOST_TRIALS = 400 };

static const char *verdict_text(const failure *const f) {
  static const char *const TEXTS[] = {[FAILS_NOT] = "does not fail",
                                      [FAILS_BEFORE] = "cannot be tried",
                                      [FAILS_LOAD] = "is refused",
                                      [FAILS_BUILD] = "is not built",
                                      [FAILS_RUN] = "does not run",
                                      [FAILS_NAN] = "has NaN",
                                      [FAILS_SQNR] = "is too far from the float model"};
  return TEXTS[f->kind];
}

static void take(reduction *const r, const model_part *const part, trial *const t) {
  model_part copy;
  part_copy(&copy, part);
  part_fini(&r->part);
  r->part = copy;
  failure_fini(&r->found);
  r->found = t->found;
  t->found = (failure){.kind = FAILS_NOT};
}

/* Tries a settled part, and takes it if it fails as the whole does. A part without nodes fails in
 * no way. */
static tare_status try_part(reduction *const r, const model_part *const part, bool *const fails,
                            tare_error *const err) {
  trial t = {.found.kind = FAILS_NOT};
  *fails = false;
  r->stopped = r->stopped || r->all.n >= MOST_TRIALS;
  if (r->stopped || part->outputs.n == 0 || part_count(part) == 0) {
    return TARE_OK;
  }
  const tare_status status = trial_of_part(&r->all, part, &t, err);
  if (status == TARE_OK) {
    *fails = failure_is_like(&r->goal, &t.found);
    say_more(&r->all.in->common, "trial %d: %d nodes, %d recorded tensors: %s%s%s", r->all.n,
             part_count(part), part->inputs.n, verdict_text(&t.found),
             *t.found.error.message ? ": " : "", t.found.error.message);
  }
  if (*fails) {
    take(r, part, &t);
  }
  trial_fini(&t);
  return status;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The nodes before `end`, with what the others read of them as outputs. */
static tare_status try_end(reduction *const r, const int end, bool *const fails,
                           tare_error *const err) {
  model_part part;
  cli_list outputs = {0};
  const bool compared = r->goal.kind == FAILS_NAN || r->goal.kind == FAILS_SQNR;
  part_frontier(&r->part, end, !compared, &outputs);
  part_copy(&part, &r->part);
  cli_list_fini(&part.outputs);
  part.outputs = outputs;
  part_settle(&part);
  const tare_status status = try_part(r, &part, fails, err);
  part_fini(&part);
  return status;
}

static tare_status try_output(reduction *const r, const char *const tensor, bool *const fails,
                              tare_error *const err) {
  model_part part;
  part_copy(&part, &r->part);
  part.outputs.n = 0;
  cli_list_add(&part.outputs, tensor);
  part_settle(&part);
  const tare_status status = try_part(r, &part, fails, err);
  part_fini(&part);
  return status;
}

/* The first node at whose outputs the failure shows. */
static tare_status bisect_end(reduction *const r, tare_error *const err) {
  int good = 0, bad = r->part.whole->n_nodes;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    bool fails = false;
    CLI_TRY(try_end(r, middle, &fails, err));
    *(fails ? &bad : &good) = middle;
  }
  return TARE_OK;
}

/* The output of the part in which the failure shows; NULL where the failure names none. */
static const char *failing_output(const reduction *const r) {
  for (int i = 0; r->found.tensor && i < r->part.outputs.n; i++) {
    if (strcmp(r->part.outputs.items[i], r->found.tensor) == 0) {
      return r->part.outputs.items[i];
    }
  }
  return NULL;
}

/* One output instead of several: that with the failure, or the last that fails alone. */
static tare_status choose_output(reduction *const r, tare_error *const err) {
  const char *const failing = failing_output(r);
  tare_status status = TARE_OK;
  cli_list outputs = {0};
  if (failing) {
    cli_list_add(&outputs, failing);
  } else {
    cli_list_join(&outputs, &r->part.outputs);
  }
  bool fails = r->part.outputs.n < 2;
  for (int o = outputs.n - 1; status == TARE_OK && !fails && o >= 0; o--) {
    status = try_output(r, outputs.items[o], &fails, err);
  }
  cli_list_fini(&outputs);
  return status;
}

/* --- the beginning ---------------------------------------------------------------------------- */

static bool writes_output(const model_part *const part, const int node) {
  const tare_extract_node n = tare_extract_node_at(part->whole->extract, node);
  for (int o = 0; o < n.n_outputs; o++) {
    if (cli_list_has(&part->outputs, n.outputs[o])) {
      return true;
    }
  }
  return false;
}

/* The part without what its nodes from `first` to before `end` write, which is recorded instead. */
static tare_status try_begin(reduction *const r, const int first, const int end, bool *const fails,
                             tare_error *const err) {
  model_part part;
  part_copy(&part, &r->part);
  for (int i = first; i < end; i++) {
    part.behind[i] = part.behind[i] || (part.needed[i] && !writes_output(&part, i));
  }
  part_settle(&part);
  const bool same = part_count(&part) == part_count(&r->part);
  *fails = false;
  const tare_status status = same ? TARE_OK : try_part(r, &part, fails, err);
  part_fini(&part);
  return status;
}

/* The last node before which all can go. */
static tare_status bisect_begin(reduction *const r, tare_error *const err) {
  int good = 0, bad = r->part.whole->n_nodes; /* here: at `good` the part still fails */
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    bool fails = false;
    CLI_TRY(try_begin(r, 0, middle, &fails, err));
    *(fails ? &good : &bad) = middle;
  }
  return TARE_OK;
}

/* --- single nodes ----------------------------------------------------------------------------- */

/* Whether all that a node reads are inputs of the part: another can only go after those before. */
static bool is_first(const model_part *const part, const int node) {
  const tare_extract_node n = tare_extract_node_at(part->whole->extract, node);
  for (int i = 0; i < n.n_inputs; i++) {
    const int maker = tare_extract_maker(part->whole->extract, n.inputs[i]);
    if (maker >= 0 && part->needed[maker] && part->whole->variable[maker]) {
      return false;
    }
  }
  return part->needed[node] && part->whole->variable[node];
}

static tare_status drop_first_nodes(reduction *const r, bool *const dropped,
                                    tare_error *const err) {
  for (int i = 0; i < r->part.whole->n_nodes && !r->stopped; i++) {
    bool fails = false;
    if (is_first(&r->part, i)) {
      CLI_TRY(try_begin(r, i, i + 1, &fails, err));
    }
    *dropped = *dropped || fails;
  }
  return TARE_OK;
}

/* The node that writes the only output. */
static tare_status drop_last_node(reduction *const r, bool *const dropped, tare_error *const err) {
  const whole_model *const whole = r->part.whole;
  for (bool fails = true; fails && r->part.outputs.n == 1;) {
    const tare_extract_node node = tare_extract_node_at(
        whole->extract, tare_extract_maker(whole->extract, r->part.outputs.items[0]));
    fails = false;
    for (int i = 0; !fails && i < node.n_inputs; i++) {
      const int maker = tare_extract_maker(whole->extract, node.inputs[i]);
      if (maker >= 0 && r->part.needed[maker] && !r->part.behind[maker] &&
          whole_model_may_cut(whole, node.inputs[i])) {
        CLI_TRY(try_output(r, node.inputs[i], &fails, err));
      }
    }
    *dropped = *dropped || fails;
  }
  return TARE_OK;
}

/* Where the whole cannot tell the types, what comes before the node that fails may. */
static tare_status learn_types(reduction *const r, tare_error *const err) {
  model_part before;
  part_init(&before, r->part.whole);
  for (int i = 0; i < r->part.outputs.n; i++) {
    const tare_extract_node node =
        tare_extract_node_at(r->part.whole->extract,
                             tare_extract_maker(r->part.whole->extract, r->part.outputs.items[i]));
    for (int in = 0; in < node.n_inputs; in++) {
      if (tare_extract_maker(r->part.whole->extract, node.inputs[in]) >= 0) {
        cli_list_add(&before.outputs, node.inputs[in]);
      }
    }
  }
  part_settle(&before);
  const tare_status status = before.outputs.n ? trial_learn_types(&r->all, &before, err) : TARE_OK;
  part_fini(&before);
  return status;
}

tare_status reduce_part(reduction *const r, tare_error *const err) {
  CLI_TRY(bisect_end(r, err));
  CLI_TRY(choose_output(r, err));
  if (!r->part.whole->types || *tare_model_get_info(r->part.whole->types).undecided) {
    CLI_TRY(learn_types(r, err));
  }
  CLI_TRY(bisect_begin(r, err));
  for (bool dropped = true; dropped;) {
    dropped = false;
    CLI_TRY(drop_last_node(r, &dropped, err));
    CLI_TRY(drop_first_nodes(r, &dropped, err));
  }
  return TARE_OK;
}

void reduction_fini(reduction *const r) {
  part_fini(&r->part);
  failure_fini(&r->goal);
  failure_fini(&r->found);
}
