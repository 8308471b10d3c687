/*
 * A calibrator of the program: from statistics that `tare calibrate` wrote, or that tare_calibrate
 * collected, it makes a table with a rule that the library does not have.
 *
 *   own_calibrator STATS SIGMAS TABLE
 *   own_calibrator digits.stats 8 digits.json
 *
 * The rule: clip what is farther from zero than SIGMAS times the root mean square of the values.
 *
 *   cc own_calibrator.c $(pkg-config --cflags --libs tare) -lm -o own_calibrator
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

static double clip_at_sigmas(void *const user, const tare_distribution *const d) {
  const double sigmas = *(const double *)user;
  double squares = 0;
  for (int i = 0; i < d->n_bins; i++) {
    const double middle = (i + 0.5) * d->width;
    squares += (double)d->counts[i] * middle * middle;
  }
  return fmin(d->amax, sigmas * sqrt(squares / (double)d->count));
}

static tare_status make_table(char **const argv, tare_stats *const stats, tare_table **const out,
                              tare_error *const err) {
  double sigmas = strtod(argv[2], NULL);
  tare_table_options options;
  tare_table_options_init(&options);
  options.method = "sigmas";
  options.threshold = clip_at_sigmas;
  options.threshold_user = &sigmas;
  return tare_table_from_stats(stats, &options, out, err);
}

int main(const int argc, char **const argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s STATS SIGMAS TABLE\n", argv[0]);
    return 2;
  }
  tare_stats *stats = NULL;
  tare_table *table = NULL;
  tare_error err = {0};
  tare_status status = tare_stats_load(argv[1], &stats, &err);
  if (status == TARE_OK) {
    status = make_table(argv, stats, &table, &err);
  }
  if (status == TARE_OK) {
    status = tare_table_write_json(table, argv[3], &err);
  }
  if (status == TARE_OK) {
    printf("%s: %d tensors, method %s\n", argv[3], tare_table_n_tensors(table),
           tare_table_method(table));
  } else {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_table_free(&table);
  tare_stats_free(&stats);
  return tare_status_exit_code(status);
}
