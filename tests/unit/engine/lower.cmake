# Lowerings, one node at a time.
foreach(name
    attention
    bytes
    conv
    dft
    elementwise
    indices
    matrix
    movement
    norm
    numbers
    pool
    quantized
    recurrent
    reduce
    resize
    rows
    sort
    types
    windows)
  tare_test(engine lower_${name} SOURCES one_node.c FLOORS ${ENGINE_FLOORS})
endforeach()
