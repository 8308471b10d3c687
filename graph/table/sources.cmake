# Sources of calibration tables, relative to graph/. Formats are rows.
tare_family(TARE_GRAPH_TABLE_FORMATS ${CMAKE_CURRENT_LIST_DIR}/formats/formats.inc
            table/formats/format_ID.c)
set(TARE_GRAPH_TABLE_SOURCES
  table/annotate.c table/coverage.c table/draft.c table/layer_numbers.c table/merge.c table/named.c table/parts.c
  table/recordings.c table/restrict.c table/rounding.c
  table/smoothing.c table/table.c table/unify.c
  table/formats/format_json_read.c table/formats/format.c table/formats/json_members.c
  table/formats/json_numbers.c table/formats/json_rounding.c table/formats/json_smoothing.c
  table/formats/json_source.c
  table/formats/ncnn_layers.c table/formats/number_lines.c table/formats/ort_range.c
  table/formats/text_lines.c table/formats/threshold_text.c table/formats/trt_template.c
  table/formats/trt_text.c
  ${TARE_GRAPH_TABLE_FORMATS})
