# The tests that take longest, with their seconds under sanitizers. ctest starts them first, so
# that all cores end together, also in a build folder where it has not measured them yet.
set(TARE_TEST_COSTS
  ranks.deaths 90
  ranks.kills 60
  ranks.mpirun 50
  cli.quantize_judged 45
  calib.export 38
  cli.tune 35
  ranks.splits 35
  cli.compare 28
  calib.precisions 26
  cli.choice 24
  datasets.prefetch 22
  calib.import 21
  cli.tutorials 20
  cli.compare_require 20
  cli.rows_from_bound 20
  engine.masked 20
  cli.compare_resume 18
  cli.metrics 18
  options.pairs 18
  cli.hostile 16
  engine.qdq_chains 16
  cli.accuracy 15
  fault.compare 15
  fault.tune 14)

function(tare_test_cost name)
  list(FIND TARE_TEST_COSTS ${name} at)
  if(at GREATER -1)
    math(EXPR at "${at} + 1")
    list(GET TARE_TEST_COSTS ${at} cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()
