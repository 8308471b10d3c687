# Sources of calibration tables, relative to graph/. Formats are rows.
tare_family(TARE_GRAPH_TABLE_FORMATS ${CMAKE_CURRENT_LIST_DIR}/formats.inc table/format_ID.c)
set(TARE_GRAPH_TABLE_SOURCES
  table/annotate.c table/coverage.c table/format_json_read.c table/formats.c
  table/json_source.c table/merge.c table/ncnn_layers.c table/number_lines.c table/ort_range.c table/parts.c table/restrict.c table/table.c
  table/text_lines.c table/threshold_text.c table/trt_template.c table/trt_text.c table/unify.c
  ${TARE_GRAPH_TABLE_FORMATS})
