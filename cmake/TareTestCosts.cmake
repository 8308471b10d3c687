# The tests that take longest, with their seconds under sanitizers. ctest starts them first, so
# that all cores end together, also in a build folder where it has not measured them yet.
set(TARE_TEST_COSTS
  datasets.prefetch 100
  engine.plan 79
  kernels.gemm 63
  peers.intents-bert 58
  engine.masked 56
  cli.compare 51
  calib.export 39
  cli.debug 33
  cli.debug_sensitivity 33
  calib.calibrate 32
  fault.quantize 30
  calib.import 28)

function(tare_test_cost name)
  list(FIND TARE_TEST_COSTS ${name} at)
  if(at GREATER -1)
    math(EXPR at "${at} + 1")
    list(GET TARE_TEST_COSTS ${at} cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()
