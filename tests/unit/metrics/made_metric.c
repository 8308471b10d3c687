#include "unit/metrics/made_metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void made_metric_begin(made_metric *const m, const char *const name,
                       const tare_metric_setting *const settings, const int n) {
  tare_error err = {0};
  if (tarei_metric_pick(name, settings, n, &m->metric, &m->settings, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(tarei_metric_states_new(m->metric, &m->settings, &m->states, NULL), TARE_OK);
}

tare_status made_metric_add(made_metric *const m, const tare_sample *const sample,
                            const tare_tensor *const got, const tare_tensor *const want,
                            const int64_t *const extents, tare_error *const err) {
  tare_sample named = *sample;
  named.name = "sample";
  const tarei_metric_case c = {.sample = &named,
                               .output = "logits",
                               .got = got,
                               .want = want,
                               .extents = extents ? extents : got->dims};
  assert_int_equal(tarei_metric_states_begin(m->states, 0, 0, NULL), TARE_OK);
  const tare_status status = m->metric->add(&c, m->states, err);
  if (status == TARE_OK) {
    tarei_metric_states_keep(m->states);
  } else {
    tarei_metric_states_discard(m->states);
  }
  return status;
}

double made_metric_end(made_metric *const m) {
  double value = 0;
  assert_int_equal(tarei_metric_states_finish(m->states, NULL), TARE_OK);
  assert_int_equal(tare_metric_states_value(m->states, NULL, &value, NULL), TARE_OK);
  tarei_metric_states_free(&m->states);
  tarei_metric_settings_fini(&m->settings);
  return value;
}
