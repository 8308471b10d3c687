# Sources of the check of quantized models, relative to graph/. Rules are rows.
tare_family(TARE_GRAPH_CHECK_RULES ${CMAKE_CURRENT_LIST_DIR}/rules.inc check/check_ID.c)
set(TARE_GRAPH_CHECK_SOURCES
  check/check.c check/index.c check/layers.c check/layers_output.c check/quantizers.c
  ${TARE_GRAPH_CHECK_RULES})
