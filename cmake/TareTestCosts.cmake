# The tests that take longest, with their seconds under sanitizers. ctest starts them first, so
# that all cores end together, also in a build folder where it has not measured them yet.
set(TARE_TEST_COSTS
  cli.quantize_judged 153
  ranks.mpirun 114
  cli.choice 88
  cli.quantize 86
  ranks.deaths 85
  ranks.splits 82
  cli.compare_resume 69
  ranks.kills 65
  cli.tune 62
  options.pairs 61
  fault.tune 58
  fault.compare 53
  cli.shards 47
  cli.table_formats 45
  tokenizers.statistics 41
  cli.debug_sensitivity 40
  cli.compare_budget 37
  calib.export 30
  cli.tutorials 30
  calib.precisions 26
  fault.quantize 25)

function(tare_test_cost name)
  list(FIND TARE_TEST_COSTS ${name} at)
  if(at GREATER -1)
    math(EXPR at "${at} + 1")
    list(GET TARE_TEST_COSTS ${at} cost)
    set_tests_properties(${name} PROPERTIES COST ${cost})
  endif()
endfunction()
