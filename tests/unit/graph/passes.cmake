foreach(name attention bounds fold gelu layout linear log models norm random softmax spectra)
  tare_test(graph pass_${name} FLOORS base shapes graph)
endforeach()
