#include "tools/bench/bench_causes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/report.h"
#include "tools/show/layer_facts.h"

enum { MOST_SLOWEST = 4 };

typedef enum cause {
  CAUSE_GAINS,    /* computes in integers, and products take its time */
  CAUSE_MEMORY,   /* bound by memory, whatever it computes in */
  CAUSE_OPERATOR, /* has no int8 form, or its form does not fit */
  CAUSE_PAIRS,    /* scales are missing or at the wrong place: float products, and conversions */
  CAUSE_REQUEST,  /* float or bf16 was asked for */
  CAUSE_MOVES,    /* only moves data */
  N_CAUSES
} cause;

static const struct {
  const char *id, *text;
} CAUSES[N_CAUSES] = {[CAUSE_GAINS] = {"int8", "none: computes in int8"},
                      [CAUSE_MEMORY] = {"memory", "bound by memory"},
                      [CAUSE_OPERATOR] = {"operator", "cannot be quantized"},
                      [CAUSE_PAIRS] = {"pairs", "scales missing or misplaced"},
                      [CAUSE_REQUEST] = {"request", "float by request"},
                      [CAUSE_MOVES] = {"moves", "only moves data"}};

/* Layers that could compute in int8 with other scales or Q/DQ pairs. */
static bool lacks_scales(const tare_reason why) {
  static const tare_reason REASONS[] = {
      TARE_REASON_NO_TABLE,      TARE_REASON_NO_SCALE,    TARE_REASON_ZERO_POINT,
      TARE_REASON_FLOAT_WEIGHTS, TARE_REASON_WEIGHT_TYPE, TARE_REASON_WEIGHT_ZERO_POINTS,
      TARE_REASON_WEIGHT_RANGE,  TARE_REASON_WEIGHT_AXIS, TARE_REASON_WEIGHT_SCALE};
  for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++) {
    if (REASONS[i] == why) {
      return true;
    }
  }
  return false;
}

static cause cause_of(const tare_layer *const layer, const advice_layer *const one) {
  const bool asked = layer->asked == layer->got && layer->got != TARE_PRECISION_ANY;
  if (layer_only_converts(layer)) {
    return CAUSE_PAIRS;
  }
  if (layer->moves) {
    return CAUSE_MOVES;
  }
  if (one->by_memory) {
    return CAUSE_MEMORY;
  }
  if (tare_precision_is_integer(layer->got) || strcmp(layer->precision, "int8") == 0) {
    return CAUSE_GAINS;
  }
  return lacks_scales(layer->why) ? CAUSE_PAIRS : asked ? CAUSE_REQUEST : CAUSE_OPERATOR;
}

/* The layers of one cause, slowest first. */
typedef struct cause_sum {
  int layers;
  double ms;
  cli_list names;
} cause_sum;

/* Whether there were int8 layers. */
static bool causes_sum(const bench_advice *const a, cause_sum sums[N_CAUSES]) {
  bool int8 = false;
  for (int i = 0; i < a->n; i++) {
    const tare_layer layer = tare_plan_layer(a->plan, a->layers[i].layer);
    cause_sum *const sum = &sums[cause_of(&layer, &a->layers[i])];
    sum->layers++;
    sum->ms += a->layers[i].ms;
    cli_list_add(&sum->names, layer.name);
    int8 |= tare_precision_is_integer(layer.got);
  }
  return int8;
}

static void causes_fini(cause_sum sums[N_CAUSES]) {
  for (int i = 0; i < N_CAUSES; i++) {
    cli_list_fini(&sums[i].names);
  }
}

static void report_cause(report *const r, const cause which, const cause_sum *const sum,
                         const double all) {
  const int shown = sum->names.n > MOST_SLOWEST ? MOST_SLOWEST : sum->names.n;
  char *const names = cli_join(sum->names.items, shown, ", ");
  report_cell(r, "%s", CAUSES[which].text);
  report_cell(r, "%d", sum->layers);
  report_number(r, 4, sum->ms);
  report_number(r, 1, all > 0 ? 100 * sum->ms / all : NAN);
  report_cell(r, "%s%s", names, shown < sum->names.n ? ", ..." : "");
  free(names);
}

void bench_causes_print(const bench_advice *const a) {
  cause_sum sums[N_CAUSES] = {0};
  if (causes_sum(a, sums)) {
    report *const r = report_new("cause<,layers>,ms>,share %>,slowest^");
    for (int i = 0; i < N_CAUSES; i++) {
      if (sums[i].layers > 0) {
        report_cause(r, (cause)i, &sums[i], a->ms);
      }
    }
    report_print(r, stdout);
  }
  causes_fini(sums);
}

void bench_causes_json(cJSON *const advice, const bench_advice *const a) {
  cause_sum sums[N_CAUSES] = {0};
  cJSON *const list = json_add(advice, "causes", json_array());
  const bool int8 = causes_sum(a, sums);
  for (int i = 0; int8 && i < N_CAUSES; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "cause", CAUSES[i].id);
    json_int(item, "layers", sums[i].layers);
    json_real(item, "ms", sums[i].ms);
    cJSON *const names = json_add(item, "names", json_array());
    for (int l = 0; l < sums[i].names.n; l++) {
      json_text(names, NULL, sums[i].names.items[l]);
    }
  }
  causes_fini(sums);
}
