# Lowerings, one node at a time.
foreach(name conv elementwise movement)
  tare_test(engine lower_${name} SOURCES one_node.c FLOORS ${ENGINE_FLOORS})
endforeach()
