set(TARE_GRAPH_EXPAND_SOURCES
  expand/global_lp_pool.c
  expand/sum.c
  expand/swiglu.c
  expand/window.c
)
