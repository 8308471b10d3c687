foreach(name chains elementwise hostile matrix movement quantized recurrent reduce slice window)
  tare_test(graph ops_${name} SOURCES ops_case.c FLOORS base shapes graph)
endforeach()
tare_test(graph ops_models FLOORS base shapes graph LIBRARIES tare_hdf5)
