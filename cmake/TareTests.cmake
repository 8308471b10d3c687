# Tests: how they are declared, labelled and ordered.

# tests/costs.txt: what tests take, in seconds. Those that it leaves out take less than one.
set(TARE_QUICK_SECONDS 3)
set(costs ${PROJECT_SOURCE_DIR}/tests/costs.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${costs})
file(STRINGS ${costs} TARE_TEST_COSTS REGEX "^[0-9]")

# tare_label(test LABEL...): gives a test of this folder its labels, and `quick` or `slow` by what it takes. ctest
# starts tests that take long first, so that all cores end together, also where it has not measured them yet.
function(tare_label test)
  set(cost 0)
  string(REPLACE "." "\\." pattern ${test})
  set(costs ${TARE_TEST_COSTS})
  list(FILTER costs INCLUDE REGEX " ${pattern}$")
  if(costs MATCHES "^([0-9]+) ")
    set(cost ${CMAKE_MATCH_1})
  endif()
  set(pace quick)
  if(cost GREATER TARE_QUICK_SECONDS)
    set(pace slow)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS "${ARGN};${pace}" COST ${cost})
endfunction()

# The floors whose code the tests of a part are for, by which `ctest -L` chooses them; a part that is no floor
# tests a room of one.
set(TARE_PART_api calib)
set(TARE_PART_attention graph)
set(TARE_PART_chains graph)
set(TARE_PART_lower engine)
set(TARE_PART_memory engine)
set(TARE_PART_metrics calib)
set(TARE_PART_parts calib)
set(TARE_PART_passes graph)
set(TARE_PART_plans engine)
set(TARE_PART_ranks tools)
set(TARE_PART_tables graph)
set(TARE_PART_tune calib)

# tare_tests(part TESTS names... [PROGRAM name] FLOORS floors... [SOURCES ...] [LIBRARIES ...] [TIMEOUT seconds])
# The tests of tests/unit/<part> as one program, test_<part> or PROGRAM, in which tests/unit/program.c calls
# <name>_test() of <name>_test.c. Each is a test of its own for ctest, <part>.<name>.
function(tare_tests part)
  cmake_parse_arguments(ARG "" "PROGRAM;TIMEOUT" "TESTS;FLOORS;SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_PROGRAM)
    set(ARG_PROGRAM test_${part})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(TARE_SANITIZE MATCHES "thread") # all accesses to memory are followed
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  list(TRANSFORM ARG_TESTS APPEND _test.c OUTPUT_VARIABLE sources)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes) # program.c has them
  list(TRANSFORM ARG_TESTS REPLACE "(.+)" "TEST(\\1)\n" OUTPUT_VARIABLE rows)
  list(JOIN rows "" rows)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${ARG_PROGRAM}_tests)
  file(CONFIGURE OUTPUT ${folder}/tests.inc CONTENT "${rows}" @ONLY)

  add_executable(${ARG_PROGRAM} ${PROJECT_SOURCE_DIR}/tests/unit/program.c ${sources} ${ARG_SOURCES})
  list(REVERSE ARG_FLOORS) # an archive has what those before it call
  list(TRANSFORM ARG_FLOORS REPLACE "(.+)" "tare_\\1_archive" OUTPUT_VARIABLE archives)
  target_link_libraries(${ARG_PROGRAM} PRIVATE ${ARG_LIBRARIES} ${archives} tare_flags PkgConfig::CMOCKA m)
  target_include_directories(${ARG_PROGRAM} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${folder})
  target_compile_definitions(${ARG_PROGRAM} PRIVATE
    TARE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TARE_SHARED_DIR="${TARE_SHARED_DIR}")
  foreach(name IN LISTS ARG_TESTS)
    add_test(NAME ${part}.${name} COMMAND ${ARG_PROGRAM} ${name})
    tare_label(${part}.${name} unit ${TARE_PART_${part}} ${part})
    set_tests_properties(${part}.${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# A script that tries models by chance with the command beside numpy: COUNT of them, under sanitizers fewer.
function(tare_chance_test name script count few)
  if(NOT TARE_PYTHON)
    message(STATUS "python3 not found: ${name} is left out")
    return()
  endif()
  if(TARE_SANITIZE)
    set(count ${few})
  endif()
  add_test(NAME ${name} COMMAND ${TARE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script}
    $<TARGET_FILE:tare_command> --count ${count})
  tare_label(${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
endfunction()
