foreach(name attention fold gelu layout linear models norm random softmax)
  tare_test(graph pass_${name} FLOORS base shapes graph)
endforeach()
