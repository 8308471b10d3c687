# The Python package as Debian installs it, for the component python: the modules and the declarations of
# the public headers. TARE_PYTHON_HAS_CFFI: whether it can be made.
find_program(TARE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(TARE_PYTHON_HAS_CFFI OFF)
if(TARE_PYTHON)
  execute_process(COMMAND ${TARE_PYTHON} -c "import cffi" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(TARE_PYTHON_HAS_CFFI ON)
  endif()
endif()
if(NOT TARE_PYTHON_HAS_CFFI)
  message(STATUS "python3-cffi not found: the package python3-tare is not built")
  return()
endif()

set(folder ${PROJECT_BINARY_DIR}/debian/python)
file(GLOB_RECURSE modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/*.py)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tare/*.h)
add_custom_command(OUTPUT ${folder}/tare/_api.py
  COMMAND sh ${PROJECT_SOURCE_DIR}/python/package.sh ${TARE_PYTHON} ${CMAKE_C_COMPILER} ${folder}
  DEPENDS ${modules} ${headers} ${PROJECT_SOURCE_DIR}/python/package.sh
  COMMENT "Making the Python package" VERBATIM)
add_custom_target(tare_python ALL DEPENDS ${folder}/tare/_api.py)
# Where Debian's Python looks, which is no place in other prefixes: only by name of the component. pip leaves
# alone what another tool has installed.
set(info tare-${PROJECT_VERSION}.dist-info)
file(WRITE ${PROJECT_BINARY_DIR}/debian/INSTALLER "debian\n")
install(DIRECTORY ${folder}/tare ${folder}/${info} DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/debian/INSTALLER DESTINATION lib/python3/dist-packages/${info} COMPONENT python
  EXCLUDE_FROM_ALL)

# Modules are compiled where they are installed, and what that wrote is removed with them.
file(WRITE ${PROJECT_BINARY_DIR}/debian/postinst "#!/bin/sh
set -e
if command -v py3compile >/dev/null; then
  py3compile -p python3-tare
fi
")
file(WRITE ${PROJECT_BINARY_DIR}/debian/prerm "#!/bin/sh
set -e
if command -v py3clean >/dev/null; then
  py3clean -p python3-tare
fi
")
