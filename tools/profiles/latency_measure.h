/* Measures how long a plan runs at several lengths, with made-up inputs. */
#ifndef TAREI_TOOLS_PROFILES_LATENCY_MEASURE_H
#define TAREI_TOOLS_PROFILES_LATENCY_MEASURE_H

#include "tools/options/options.h"
#include "tools/profiles/latency_curve.h"

/* Measures the plan of a file between two lengths, the other symbols at their opt. TARE_E_USAGE if
 * it has no such symbol; TARE_E_SHAPE if no profile covers a length. */
tare_status latency_measure(const char *path, const char *symbol, int64_t min, int64_t max,
                            const opt_common *common, latency_curve *out, tare_error *err);

#endif
