# Project verbs. A floor is a folder whose sources may include only floors below it; the build
# refuses an include that points up (cmake/check_floors.cmake runs before anything is compiled).

# tare_floor(name LEVEL n SOURCES a.c ... [LIBRARIES targets ...])
function(tare_floor name)
  cmake_parse_arguments(ARG "" "LEVEL" "SOURCES;LIBRARIES" ${ARGN})
  add_library(tare_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(tare_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(tare_${name} PUBLIC ${ARG_LIBRARIES} PRIVATE tare_flags)
  set_property(TARGET tare_${name} PROPERTY POSITION_INDEPENDENT_CODE ON)
  add_dependencies(tare_${name} tare_check_floors)
  # For tests and benchmarks, which take only what they call of it.
  add_library(tare_${name}_archive STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tare_${name}>)
  target_include_directories(tare_${name}_archive INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR})
  target_link_libraries(tare_${name}_archive PUBLIC ${ARG_LIBRARIES})
endfunction()

# tare_isa(floor file.c flags ...): a file of a floor that alone gets ISA flags.
function(tare_isa floor file)
  set_source_files_properties(${file} TARGET_DIRECTORY tare_${floor} PROPERTIES COMPILE_OPTIONS "${ARGN}")
endfunction()
