set(TARE_GRAPH_EXPAND_SOURCES
  expand/global_lp_pool.c
)
