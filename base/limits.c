#include "base/limits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

#include "base/clock.h"
#include "base/machine.h"

static const tare_limit ROWS[] = {
#define TAREI_LIMIT_ROW(field, name, unit, normal, least, most, text) \
  {name, unit, text, normal, least, most},
    TARE_LIMIT_LIST(TAREI_LIMIT_ROW)
#undef TAREI_LIMIT_ROW
};

static int64_t *limits_value_of(tare_limits *const limits, const int limit) {
  int64_t *const values[] = {
#define TAREI_LIMIT_VALUE(field, name, unit, normal, least, most, text) &limits->field,
      TARE_LIMIT_LIST(TAREI_LIMIT_VALUE)
#undef TAREI_LIMIT_VALUE
  };
  assert(limit >= 0 && limit < TAREI_LIMIT_COUNT);
  return values[limit];
}

void tare_limits_init(tare_limits *const limits) {
  *limits = (tare_limits){0};
  for (int i = 0; i < TAREI_LIMIT_COUNT; i++) {
    *limits_value_of(limits, i) = ROWS[i].normal;
  }
  limits->memory = tarei_machine_memory() / 4 * 3;
}

int tare_n_limits(void) {
  return TAREI_LIMIT_COUNT;
}

const tare_limit *tare_limit_at(const int limit) {
  return limit >= 0 && limit < TAREI_LIMIT_COUNT ? &ROWS[limit] : NULL;
}

int64_t tare_limit_get(const tare_limits *const limits, const int limit) {
  tare_limits copy = *limits;
  return tarei_has_number(limit, TAREI_LIMIT_COUNT) ? *limits_value_of(&copy, limit) : 0;
}

static tare_status limits_check(const int limit, const int64_t value, tare_error *const err) {
  const tare_limit *const row = &ROWS[limit];
  return value >= row->least && value <= row->most
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "limit %s: expected %" PRId64 " to %" PRId64 " %s, got %" PRId64,
                          row->name, row->least, row->most, row->unit, value);
}

tare_status tare_limit_set(tare_limits *const limits, const int limit, const int64_t value,
                           tare_error *const err) {
  TAREI_TRY(tarei_check_number("limit", limit, TAREI_LIMIT_COUNT, err));
  int64_t *const slot = limits_value_of(limits, limit);
  TAREI_TRY(limits_check(limit, value, err));
  *slot = value;
  return TARE_OK;
}

tare_status tarei_limits_check(const tare_limits *const limits, tare_error *const err) {
  for (int i = 0; i < TAREI_LIMIT_COUNT; i++) {
    TAREI_TRY(limits_check(i, tare_limit_get(limits, i), err));
  }
  for (size_t i = 0; i < sizeof limits->reserved / sizeof *limits->reserved; i++) {
    if (limits->reserved[i]) {
      return tarei_fail(err, TARE_E_USAGE,
                        "tare_limits: it has a limit that version %s of the library does not have "
                        "(call tare_limits_init first, or use a newer library)",
                        TARE_VERSION);
    }
  }
  return TARE_OK;
}

void tarei_bytes_text(const int64_t bytes, char text[const TAREI_BYTES_TEXT]) {
  static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < sizeof UNITS / sizeof *UNITS) {
    value /= 1000;
    unit++;
  }
  (void)snprintf(text, TAREI_BYTES_TEXT, unit ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
}

static void amount_text(const tare_limit *const r, const int64_t amount,
                        char text[const TAREI_BYTES_TEXT]) {
  if (strcmp(r->unit, "bytes") == 0) {
    tarei_bytes_text(amount, text);
  } else {
    const int one = amount == 1; /* without the s at the end */
    (void)snprintf(text, TAREI_BYTES_TEXT, "%" PRId64 " %.*s", amount, (int)strlen(r->unit) - one,
                   r->unit);
  }
}

tare_status tarei_fail_limit(tare_error *const err, const tare_limits *const limits,
                             const tarei_limit limit, const int64_t amount, const char *const what,
                             ...) {
  char begin[TARE_ERROR_CAPACITY / 2], seen[TAREI_BYTES_TEXT + 2] = "", allowed[TAREI_BYTES_TEXT];
  va_list args;
  va_start(args, what);
  (void)vsnprintf(begin, sizeof begin, what, args); /* a cut sentence is still one */
  va_end(args);
  amount_text(&ROWS[limit], tare_limit_get(limits, (int)limit), allowed);
  if (amount >= 0) {
    amount_text(&ROWS[limit], amount, seen);
    const bool alike = strcmp(seen, allowed) == 0;                      /* as rounded for people */
    (void)strcpy(alike ? seen : seen + strlen(seen), alike ? "" : ","); /* there is room for it */
  }
  return tarei_fail(err, TARE_E_LIMIT, "%s%s%s more than the %s that %s allows", begin,
                    *seen ? " " : "", seen, allowed, ROWS[limit].name);
}

#define FIRST_QUESTION 0.01 /* seconds: most runs are over by then */

void tarei_deadline_start(tarei_deadline *const deadline) {
  *deadline = (tarei_deadline){.next = tarei_now_roughly() + FIRST_QUESTION};
}

tare_status tarei_deadline_check(tarei_deadline *const deadline, const tare_limits *const limits,
                                 const char *const what, tare_error *const err) {
  const double now = tarei_now_roughly();
  if (now < deadline->next) {
    return TARE_OK;
  }
  const double spent = tarei_thread_seconds();
  if (deadline->end == 0) {
    deadline->end = spent + (double)limits->seconds;
  }
  deadline->next = now + (deadline->end - spent);
  return spent < deadline->end ? TARE_OK
                               : tarei_fail_limit(err, limits, TAREI_LIMIT_seconds, -1, "%s", what);
}
