#include "tools/bench/bench_trace.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/json_out.h"
#include "tools/show/layer_facts.h"
#include "tools/timing.h"

enum { MOST_EVENTS = 100000 }; /* about 30 MB of JSON */

static void trace_take(void *const user, const int layer, const double begin, const double end) {
  bench_trace *const t = user;
  t->full |= t->n >= MOST_EVENTS;
  if (t->full) {
    return;
  }
  if (t->n == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1024;
    t->events = cli_realloc(t->events, t->capacity, sizeof *t->events);
  }
  t->events[t->n++] = (trace_event){layer, begin, end};
}

void bench_trace_start(bench_trace *const t, const tare_plan *const plan,
                       tare_context *const context) {
  *t = (bench_trace){.plan = plan};
  tare_context_set_timer(context, trace_take, t);
}

void bench_trace_end_run(bench_trace *const t) {
  if (!t->full) {
    t->n_runs = t->n;
    t->runs++;
  }
}

static tare_status trace_save(cJSON *const whole, const char *const path, tare_error *const err) {
  char *const text = json_to_text(whole);
  const tare_status status = tare_write_file(path, text, strlen(text), err);
  free(text);
  cJSON_Delete(whole);
  return status;
}

static void trace_event_json(cJSON *const list, const bench_trace *const t,
                             const trace_event *const e) {
  const tare_layer layer = tare_plan_layer(t->plan, e->layer);
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "name", layer.name);
  json_text(item, "cat", layer.precision);
  json_text(item, "ph", "X"); /* an event with a duration */
  json_real(item, "ts", (e->begin - t->events[0].begin) * 1e6);
  json_real(item, "dur", (e->end - e->begin) * 1e6);
  json_int(item, "pid", 1);
  json_int(item, "tid", 1);
  cJSON *const args = json_add(item, "args", json_object());
  json_text(args, "op", layer.op);
  json_text(args, "precision", layer.precision);
  json_text(args, "kernel", layer_kernel(&layer));
}

tare_status bench_trace_write(const bench_trace *const t, const char *const path,
                              tare_error *const err) {
  cJSON *const whole = json_object();
  json_text(whole, "displayTimeUnit", "ms");
  cJSON *const list = json_add(whole, "traceEvents", json_array());
  for (size_t i = 0; i < t->n_runs; i++) {
    trace_event_json(list, t, &t->events[i]);
  }
  return trace_save(whole, path, err);
}

/* --- profile ---------------------------------------------------------------------------------- */

/* Each time that a layer ran; that of a layer with subgraphs contains the layers inside. */
static void trace_layer_times(const bench_trace *const t, timing *const layers) {
  const int n = tare_plan_n_layers(t->plan);
  for (size_t i = 0; i < t->n_runs; i++) {
    const trace_event *const e = &t->events[i];
    timing_add(&layers[e->layer], (e->end - e->begin) * 1e3);
  }
  for (int i = 0; i < n; i++) {
    timing_sort(&layers[i]);
  }
}

static double trace_sum(const timing *const times) {
  return times->n ? timing_mean(times) * (double)times->n : 0;
}

static void trace_profile_json(cJSON *const list, const bench_trace *const t,
                               const timing *const layers) {
  double all = 0;
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    all += tare_plan_layer(t->plan, i).parent < 0 ? trace_sum(&layers[i]) : 0;
  }
  json_int(json_add(list, NULL, json_object()), "count", t->runs);
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    const double sum = trace_sum(&layers[i]);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", tare_plan_layer(t->plan, i).name);
    json_real(item, "timeMs", sum);
    json_real(item, "averageMs", sum / (double)t->runs);
    json_real(item, "medianMs", layers[i].n ? timing_median(&layers[i]) : 0);
    json_real(item, "percentage", all > 0 ? 100 * sum / all : 0);
  }
}

tare_status bench_trace_write_profile(const bench_trace *const t, const char *const path,
                                      tare_error *const err) {
  const size_t n = (size_t)tare_plan_n_layers(t->plan);
  timing *const layers = cli_realloc(NULL, n, sizeof *layers);
  memset(layers, 0, n * sizeof *layers);
  trace_layer_times(t, layers);
  cJSON *const list = json_array();
  trace_profile_json(list, t, layers);
  for (size_t i = 0; i < n; i++) {
    timing_fini(&layers[i]);
  }
  free(layers);
  return trace_save(list, path, err);
}

void bench_trace_fini(bench_trace *const t) {
  free(t->events);
}
