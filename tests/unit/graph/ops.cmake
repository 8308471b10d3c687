foreach(name chains elementwise matrix movement window)
  tare_test(graph ops_${name} SOURCES ops_case.c FLOORS base shapes graph)
endforeach()
