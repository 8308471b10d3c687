# Lowerings, one node at a time.
foreach(name attention bytes conv elementwise matrix movement pool reduce rows types windows)
foreach(name attention bytes conv elementwise matrix movement pool reduce rows sort windows)
foreach(name attention bytes conv elementwise matrix movement pool quantized reduce rows windows)
  tare_test(engine lower_${name} SOURCES one_node.c FLOORS ${ENGINE_FLOORS})
endforeach()
