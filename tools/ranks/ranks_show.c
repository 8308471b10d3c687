/* What the user sees of the ranks. */
#include <inttypes.h>
#include <string.h>

#include "tools/ranks/ranks_state.h"
#include "tools/report.h"
#include "tools/say.h"

/* What the ranks that were not lost have done. */
void ranks_collect(const ranks *const r, ranks_work *const work) {
  for (int i = 0; i < r->post.size; i++) {
    const rank_state *const s = &r->coordinator.ranks[i];
    if (s->phase == RANK_IDLE) {
      work->times.reading += s->report.times.reading;
      work->times.running += s->report.times.running;
      work->times.observing += s->report.times.observing;
      fitted_add(&work->fitted, &s->report.fitted);
    }
  }
}

int64_t ranks_say_data(const ranks *const r, const tare_dataset *const dataset,
                       tare_left_out *const left_out) {
  int64_t n_bad = 0;
  int least = 0, most = 0;
  for (int i = 0; i < r->post.size; i++) {
    const rank_state *const s = &r->coordinator.ranks[i];
    const int low = s->report.least_rate, high = s->report.most_rate;
    if (s->phase != RANK_IDLE) {
      continue;
    }
    for (size_t at = 0; at < s->bad_bytes; at += strlen(s->bad + at) + 1) {
      say(r->common, "skipped: %s", s->bad + at);
    }
    n_bad += s->report.n_bad;
    ranks_add_left_out(left_out, s->report.left_out);
    least = low && (!least || low < least) ? low : least;
    most = high > most ? high : most;
  }
  say_samples_left_out(r->common, left_out, tare_dataset_count(dataset),
                       tare_dataset_length_bounds(dataset, false),
                       tare_dataset_length_bounds(dataset, true));
  say_rates(r->common, least, most);
  return n_bad;
}

static const char *ranks_phase(const rank_state *const s) {
  return s->phase == RANK_LOST ? "given up" : s->phase == RANK_IDLE ? "counted" : "came too late";
}

void ranks_print(const ranks *const r) {
  if (!r) {
    return;
  }
  report *const table = report_new("rank>,machine~,samples>,result<");
  for (int i = 0; i < r->post.size; i++) {
    const rank_state *const s = &r->coordinator.ranks[i];
    report_cell(table, "%d", i);
    report_cell(table, "%s", s->machine ? s->machine : "-");
    report_cell(table, "%" PRId64, s->phase == RANK_LOST ? 0 : s->done);
    report_cell(table, "%s", ranks_phase(s));
  }
  report_print(table, stdout);
}

void ranks_json(const ranks *const r, cJSON *const object) {
  cJSON *const all = r ? json_add(object, "ranks", json_array()) : NULL;
  for (int i = 0; r && i < r->post.size; i++) {
    const rank_state *const s = &r->coordinator.ranks[i];
    cJSON *const item = json_add(all, NULL, json_object());
    json_text(item, "machine", s->machine ? s->machine : "");
    json_int(item, "samples", s->phase == RANK_LOST ? 0 : s->done);
    json_text(item, "result", ranks_phase(s));
  }
}
