/* Talk on stderr, quiet with --quiet. */
#ifndef TAREI_TOOLS_SAY_H
#define TAREI_TOOLS_SAY_H

#include "tools/options/options.h"

/* One line, "tare: " before it. */
void say(const opt_common *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One line, with --verbose only. */
void say_more(const opt_common *options, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Requests by name that --precision-constraints none ignores, and constraints without requests. */
void say_ignored_requests(const opt_common *options, const tare_build_options *build);

/* What the user should know about data that was read: the samples that were skipped, by name,
 * how many were left out, labels that are empty, and sampling rates that differ. */
void say_data(const opt_common *options, const tare_dataset *dataset);

/* How many of all samples (-1: not known) were left out, and why: by the bounds of their lengths,
 * or as outside all profiles. */
void say_samples_left_out(const opt_common *options, const tare_left_out *n, int64_t all, const char *least,
                  const char *most);

/* A warning if sampling rates differ. */
void say_rates(const opt_common *options, int least, int most);

/* What the data are, with --verbose, or where an array of another name was taken for an input. */
void say_data_kind(const opt_common *options, const tare_dataset *dataset);

/* Inputs that are fed by outputs, and why. `changeable`: the command has --state. */
void say_states(const opt_common *options, const tare_streaming *streaming, bool changeable);

/* Options for audio that have no effect, because the data have none. */
void say_audio_options(const opt_common *options, const opt_data *data,
                       const tare_dataset *dataset);

/* Samples that were cut or padded, how many and by how much; `what` is before it, e.g.
 * "calibration". */
void say_fitted(const opt_common *options, const char *what, const tare_fit_counts *counts);

/* Warns of samples with NaN, and frees their names. */
void say_nans(const opt_common *options, tare_nan_samples *nans);

#endif
