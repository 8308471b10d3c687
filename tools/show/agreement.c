#include "tools/show/agreement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report.h"
#include "tools/say.h"

/* How a kind is shown. */
static const struct shown_agreement {
  const char *word; /* before a figure */
  const char *head; /* of a column */
  const char *line; /* of figures */
  double factor;    /* of the figure, in percent or plain */
  const char *unit;
  const char *noun;   /* of what differs */
  const char *metric; /* that bounds it */
} SHOWN[TARE_AGREEMENT_COUNT] = {
    [TARE_AGREEMENT_TOP1] = {"top-1", "top-1 %", "top-1 agreement", 100, " %", "classes",
                             "agreement"},
    [TARE_AGREEMENT_EDITS] = {"edits", "edits %", "token edits", 100, " %", "tokens", "agreement"},
    [TARE_AGREEMENT_COSINE] = {"cosine", "cosine", "row cosine", 1, "", "directions", "cosine"},
    [TARE_AGREEMENT_EQUAL] = {"equal", "equal %", "equal integers", 100, " %", "integers", NULL}};

static const struct shown_agreement *agreement_shown(const tare_agreement kind,
                                                     const double value) {
  return isnan(value) || !SHOWN[kind].word ? NULL : &SHOWN[kind];
}

char *agreement_text(const tare_agreement kind, const double value, const int decimals) {
  const struct shown_agreement *const s = agreement_shown(kind, value);
  return s ? cli_format("%s %.*f%s", s->word, s->factor > 1 ? decimals : decimals + 3,
                        s->factor * value, s->unit)
           : cli_format("%s", "");
}

void agreement_cell(report *const r, const tare_agreement head,
                    const tare_eval_score *const score) {
  const struct shown_agreement *const s = agreement_shown(score->agreement_kind, score->agreement);
  if (s && head == score->agreement_kind) {
    report_cell(r, "%.*f", s->factor > 1 ? 2 : 5, s->factor * score->agreement);
    return;
  }
  char *const text = agreement_text(score->agreement_kind, score->agreement, 2);
  report_cell(r, "%s", *text ? text : "-");
  free(text);
}

const char *agreement_head(const tare_agreement kind) {
  return SHOWN[kind].head ? SHOWN[kind].head : "agreement";
}

void agreement_print(const tare_eval_result *const result, const bool several) {
  const tare_eval_score *const t = &result->total;
  const struct shown_agreement *const s = agreement_shown(t->agreement_kind, t->agreement);
  if (!s) {
    return;
  }
  printf("%-16s %.*f%s\n", s->line, s->factor > 1 ? 3 : 6, s->factor * t->agreement, s->unit);
  if (several) {
    printf("%-16s %s\n", "  output", result->output_names[t->agreement_output]);
  }
  if (t->agreement_kind == TARE_AGREEMENT_COSINE && t->agreement_tenth < t->agreement) {
    printf("%-16s %.6f in single samples\n", "  lower tenth", t->agreement_tenth);
  }
}

void agreement_json(cJSON *const object, const tare_eval_score *const score) {
  if (!agreement_shown(score->agreement_kind, score->agreement)) {
    json_real(object, "agreement", NAN);
    return;
  }
  cJSON *const item = json_add(object, "agreement", json_object());
  json_text(item, "kind", tare_agreement_name(score->agreement_kind));
  json_real(item, "value", score->agreement);
  json_real(item, "tenth", score->agreement_tenth);
  json_int(item, "output", score->agreement_output);
}

/* --- warnings --------------------------------------------------------------------------------- */

/* Values of a signal are not answers, even if they are integers. */
static bool agreement_is_answer(const tare_port *const output) {
  return output->dtype == TARE_BOOL || output->dtype == TARE_I32 || output->dtype == TARE_I64;
}

/* Whether the SQNR of an output would let it pass. Integers have none, but other outputs do. */
static bool agreement_passes(const tare_eval_result *const result, const tare_port *const output,
                             const int o, const double good_db) {
  const double sqnr = result->outputs[o].sqnr_db;
  return result->outputs[o].agreement_kind == TARE_AGREEMENT_EQUAL
             ? agreement_is_answer(output) && result->total.sqnr_db >= good_db
             : sqnr >= good_db;
}

static char *agreement_difference(const tare_eval_score *const s) {
  return s->agreement_kind == TARE_AGREEMENT_COSINE
             ? cli_format(
                   "the cosine of its rows with those of float is %.4f, and below %.4f in "
                   "a tenth of the samples",
                   s->agreement, s->agreement_tenth)
         : s->agreement_kind == TARE_AGREEMENT_EDITS
             ? cli_format("what is read in it needs edits for %.1f %% of the tokens of float",
                          100 * s->agreement)
             : cli_format("%.1f %% of its %s are not those of float", 100 * (1 - s->agreement),
                          SHOWN[s->agreement_kind].noun);
}

/* What bounds it. */
static char *agreement_cure(const tare_eval_score *const s, const int o) {
  const char *const metric = SHOWN[s->agreement_kind].metric;
  return metric
             ? cli_format(
                   "`tare tune MODEL DATA --eval DATA --metric %s --output-index %d "
                   "--max-drop %s -o PLAN' bounds it",
                   metric, o, s->agreement_kind == TARE_AGREEMENT_COSINE ? "0.01" : "1%")
             : cli_format("%s", "make the scores that decide them an output to have layers raised");
}

/* Integers have no SQNR. */
static void warn_output(const opt_common *const common, const tare_eval_result *const result,
                        const char *const name, const int o) {
  const tare_eval_score *const s = &result->outputs[o];
  const int64_t samples = result->total.samples;
  char *const differs = agreement_difference(s);
  char *const cure = agreement_cure(s, o);
  if (isnan(s->sqnr_db)) {
    say(common, "warning: output '%s': %s on %" PRId64 " sample%s, with %.1f dB of the others (%s)",
        name, differs, samples, cli_s(samples), result->total.sqnr_db, cure);
  } else {
    say(common, "warning: output '%s' has %.1f dB, but %s on %" PRId64 " sample%s (%s)", name,
        s->sqnr_db, differs, samples, cli_s(samples), cure);
  }
  free(differs);
  free(cure);
}

void agreement_warn(const opt_common *const common, const tare_eval_result *const result,
                    const tare_port *const outputs, const double good_db) {
  for (int o = 0; o < result->n_outputs; o++) {
    if (agreement_passes(result, &outputs[o], o, good_db) && tare_agreement_is_low(result, o)) {
      warn_output(common, result, outputs[o].name, o);
    }
  }
}
