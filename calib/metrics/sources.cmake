# Sources of the metrics, relative to calib/. Metrics are rows.
tare_family(TARE_CALIB_METRICS ${CMAKE_CURRENT_LIST_DIR}/metrics.inc metrics/metric_ID.c)
set(TARE_CALIB_METRIC_SOURCES
  metrics/class_labels.c metrics/custom.c metrics/embedding.c metrics/metric.c metrics/pairs.c metrics/printed.c metrics/ranks.c metrics/rows.c metrics/settings.c metrics/states.c metrics/tokens.c metrics/vocabulary.c ${TARE_CALIB_METRICS})
