#include "graph/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/refusals.h"

#define TAREI_CHECK_RULE(id) &tarei_check_##id,
static const tarei_check_rule *const RULES[] = {
#include "graph/check/rules.inc"
};
#undef TAREI_CHECK_RULE

const char *tare_severity_name(const int severity) {
  static const char *const NAMES[TARE_SEVERITY_COUNT] = {[TARE_SEVERITY_ERROR] = "error",
                                                         [TARE_SEVERITY_WARNING] = "warning",
                                                         [TARE_SEVERITY_NOTE] = "note"};
  return severity >= 0 && severity < TARE_SEVERITY_COUNT ? NAMES[severity] : NULL;
}

/* --- findings --------------------------------------------------------------------------------- */

/* Names may be of any length. */
static void print_text(tarei_str *const to, const char *const fmt, va_list arguments,
                       va_list again) {
  const int n = vsnprintf(NULL, 0, fmt, arguments);
  char *const text = n < 0 ? NULL : tarei_calloc((size_t)n + 1, 1);
  if (!text) {
    to->failed = true;
    return;
  }
  (void)vsnprintf(text, (size_t)n + 1, fmt, again); /* as long as before */
  tarei_str_add(to, "%s", text);
  free(text);
}

void tarei_check_add(tarei_check *const c, const tare_severity severity, const int node,
                     const char *const advice, const char *const fmt, ...) {
  if (!TAREI_GROW(c->findings, c->n_findings, c->cap_findings)) {
    c->failed = true;
    return;
  }
  tarei_finding *const finding = &c->findings[c->n_findings++];
  *finding = (tarei_finding){.rule = c->rule,
                             .node = tarei_check_name(c, node),
                             .op = tarei_check_op(c, node),
                             .advice = advice,
                             .severity = severity};
  va_list arguments, again;
  va_start(arguments, fmt);
  va_copy(again, arguments);
  print_text(&finding->text, fmt, arguments, again);
  va_end(again);
  va_end(arguments);
  c->failed |= finding->text.failed;
}

static tare_status run_rules(tarei_check *const c, tare_error *const err) {
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
    c->rule = RULES[i]->name;
    RULES[i]->run(c);
  }
  return c->failed ? tarei_fail_memory(err, "findings", sizeof *c->findings) : TARE_OK;
}

/* --- begin and end ---------------------------------------------------------------------------- */

static tare_status read_and_run(tarei_check *const c, const char *const path,
                                const tare_load_options *const load, tare_error *const err) {
  tare_limits limits;
  tare_limits_init(&limits);
  TAREI_TRY(tarei_onnx_file_open(path, load, &c->file, err));
  tare_status status = tarei_check_index(c, load && load->limits ? load->limits : &limits, err);
  if (status == TARE_OK) {
    status = tarei_check_quantizers(c, err);
  }
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s", path);
  }
  TAREI_TRY(tarei_check_layers(c, err));
  return run_rules(c, err);
}

tare_status tare_check_new(const char *const path, const int target,
                           const tare_load_options *const load, tare_check **const out,
                           tare_error *const err) {
  *out = NULL;
  if (!tarei_target_at(target)) {
    return tarei_fail(err, TARE_E_USAGE, "no such target: %d", target);
  }
  tare_check *made = tarei_calloc(1, sizeof *made);
  if (!made) {
    return tarei_fail_memory(err, path, sizeof *made);
  }
  made->target = tarei_target_at(target);
  const unsigned refusals = tarei_refusals();
  const tare_status status = tarei_settle(refusals, read_and_run(made, path, load, err), path, err);
  if (status != TARE_OK) {
    tare_check_free(&made);
    return status;
  }
  *out = made;
  return TARE_OK;
}

void tare_check_free(tare_check **const handle) {
  tare_check *const c = *handle;
  if (!c) {
    return;
  }
  for (int i = 0; i < c->n_findings; i++) {
    tarei_str_free(&c->findings[i].text);
  }
  free(c->findings);
  tarei_check_layers_fini(c);
  tarei_check_quantizers_fini(c);
  tarei_check_index_fini(c);
  tarei_onnx_file_close(&c->file);
  free(c);
  *handle = NULL;
}

/* --- what was found --------------------------------------------------------------------------- */

int tare_check_count(const tare_check *const c, const tare_severity severity) {
  int n = 0;
  for (int i = 0; i < c->n_findings; i++) {
    n += c->findings[i].severity == severity;
  }
  return n;
}

int tare_check_n_findings(const tare_check *const c) {
  return c->n_findings;
}

tare_finding tare_check_finding(const tare_check *const c, const int i) {
  if (!tarei_has_number(i, c->n_findings)) {
    return (tare_finding){0};
  }
  const tarei_finding *const f = &c->findings[i];
  return (tare_finding){.rule = f->rule,
                        .severity = f->severity,
                        .node = f->node,
                        .op = f->op,
                        .text = tarei_str_get(&f->text),
                        .advice = f->advice};
}

int tare_check_n_quantizers(const tare_check *const c) {
  return c->n_quantizers;
}

int tare_check_n_layers(const tare_check *const c) {
  return c->n_layers;
}

tare_checked_layer tare_check_layer(const tare_check *const c, const int i) {
  if (!tarei_has_number(i, c->n_layers)) {
    return (tare_checked_layer){0};
  }
  const tarei_checked_layer *const layer = &c->layers[i];
  return (tare_checked_layer){.name = tarei_check_name(c, layer->node),
                              .op = tarei_check_op(c, layer->node),
                              .int8 = layer->int8,
                              .reason = tarei_str_get(&layer->reason)};
}
