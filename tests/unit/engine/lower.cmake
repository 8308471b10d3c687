# Lowerings, one node at a time.
foreach(name
    attention
    bf16
    bytes
    conv
    dft
    elementwise
    indices
    matrix
    movement
    norm
    numbers
    pairs
    pool
    quantized
    reduce
    resize
    rows
    singles
    sort
    weights
    windows)
  tare_test(engine lower_${name} SOURCES support/one_node.c FLOORS ${ENGINE_FLOORS})
endforeach()
foreach(name recurrent recurrent_bytes)
  tare_test(engine lower_${name} SOURCES support/one_node.c support/recurrent_layer.c FLOORS ${ENGINE_FLOORS})
endforeach()
