foreach(name fold gelu layout linear models norm random)
  tare_test(graph pass_${name} FLOORS base shapes graph)
endforeach()
