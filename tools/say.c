#include "tools/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void say(const opt_common *const options, const char *const fmt, ...) {
  if (options->quiet) {
    return;
  }
  va_list args;
  va_start(args, fmt);
  fputs("tare: ", stderr);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  va_end(args);
}

void say_data(const opt_common *const options, const tare_dataset *const dataset) {
  const int64_t n = tare_dataset_n_bad(dataset);
  for (int64_t i = 0; i < n; i++) {
    say(options, "skipped: %s", tare_dataset_bad(dataset, i));
  }
  int least = 0, most = 0;
  tare_dataset_rates(dataset, &least, &most);
  if (least < most) {
    say(options, "warning: the audio has rates from %d to %d Hz; --rate HZ makes them one", least,
        most);
  }
}
