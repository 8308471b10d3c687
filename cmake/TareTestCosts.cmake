# The tests that take longest, with their seconds under sanitizers. ctest starts them first, so
# that all cores end together, also in a build folder where it has not measured them yet.
set(TARE_TEST_COSTS
  ranks.mpirun 80
  ranks.deaths 68
  ranks.kills 50
  ranks.splits 45
  cli.tune 41
  cli.quantize_judged 37
  cli.choice 35
  fault.compare 30
  cli.quantize 25
  calib.result_file 25
  cli.tutorials 24
  calib.export 19
  fault.quantize 18
  plans.plan 15
  plans.damage 15)

function(tare_test_cost name)
  list(FIND TARE_TEST_COSTS ${name} at)
  if(at GREATER -1)
    math(EXPR at "${at} + 1")
    list(GET TARE_TEST_COSTS ${at} cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()
