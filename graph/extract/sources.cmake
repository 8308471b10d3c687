# Sources of parts of models, relative to graph/.
set(TARE_GRAPH_EXTRACT_SOURCES extract/extract.c extract/extract_reads.c extract/extract_requests.c extract/extract_save.c)
