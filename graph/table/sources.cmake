# Sources of calibration tables, relative to graph/.
set(TARE_GRAPH_TABLE_SOURCES
  table/annotate.c table/table.c table/table_json_read.c table/table_json_write.c
  table/table_trt_read.c table/table_trt_write.c)
