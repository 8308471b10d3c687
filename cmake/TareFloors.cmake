# Project verbs. A floor is a folder whose sources may include only floors below it; the build
# refuses an include that points up (cmake/check_floors.cmake runs before anything is compiled).

set(TARE_FLOORS "" CACHE INTERNAL "floors in the order they were declared")

# tare_floor(name LEVEL n SOURCES a.c ... [LIBRARIES targets ...])
function(tare_floor name)
  cmake_parse_arguments(ARG "" "LEVEL" "SOURCES;LIBRARIES" ${ARGN})
  add_library(tare_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(tare_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(tare_${name} PUBLIC ${ARG_LIBRARIES} PRIVATE tare_flags)
  set_property(TARGET tare_${name} PROPERTY POSITION_INDEPENDENT_CODE ON)
  add_dependencies(tare_${name} tare_check_floors)
  # For tests, which take only what they call of it.
  add_library(tare_${name}_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tare_${name}>)
  target_include_directories(tare_${name}_archive INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(tare_${name}_archive PUBLIC ${ARG_LIBRARIES})
  set(TARE_FLOORS ${TARE_FLOORS} ${name} CACHE INTERNAL "floors in the order they were declared")
endfunction()

# tare_isa(floor file.c flags ...): a file of a floor that alone gets ISA flags.
function(tare_isa floor file)
  set_source_files_properties(${file} TARGET_DIRECTORY tare_${floor} PROPERTIES COMPILE_OPTIONS "${ARGN}")
endfunction()

# tare_test(part name.c ... [FLOORS floors ...] [LIBRARIES ...] [LABELS ...] [DEFINITIONS ...])
# One cmocka program tests/unit/<part>/<name>_test.c; its ctest name is <part>.<name>.
function(tare_test part name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "FLOORS;LIBRARIES;LABELS;DEFINITIONS;SOURCES" ${ARGN})
  set(target test_${part}_${name})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/unit/${part}/${name}_test.c ${ARG_SOURCES})
  list(REVERSE ARG_FLOORS) # an archive has what those before it call
  list(TRANSFORM ARG_FLOORS REPLACE "(.+)" "tare_\\1_archive" OUTPUT_VARIABLE archives)
  target_link_libraries(${target} PRIVATE ${archives} tare_flags ${ARG_LIBRARIES} PkgConfig::CMOCKA m)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE
    TARE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TARE_SHARED_DIR="${TARE_SHARED_DIR}" ${ARG_DEFINITIONS})
  add_test(NAME ${part}.${name} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(TARE_SANITIZE MATCHES "thread") # all accesses to memory are followed
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  set_tests_properties(${part}.${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77)
  tare_test_cost(${part}.${name})
endfunction()
