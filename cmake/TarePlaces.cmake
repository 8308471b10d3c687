# Where installed files find each other. Paths within the prefix are relative to the file that has them, so that
# the prefix can be moved; one that was configured as absolute stays.

# tare_path_from(OUT FROM TO): the way between two folders of the prefix, or the absolute path of TO.
function(tare_path_from out from to)
  if(IS_ABSOLUTE "${from}" OR IS_ABSOLUTE "${to}")
    get_filename_component(path "${to}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
  else()
    file(RELATIVE_PATH path "/${from}" "/${to}")
  endif()
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

# The folder of the library as the command sees it, and as the loader does.
tare_path_from(TARE_LIBRARY_FROM_COMMAND "${CMAKE_INSTALL_BINDIR}" "${CMAKE_INSTALL_LIBDIR}")
set(TARE_COMMAND_RPATH "${TARE_LIBRARY_FROM_COMMAND}")
if(NOT IS_ABSOLUTE "${TARE_COMMAND_RPATH}")
  string(PREPEND TARE_COMMAND_RPATH "$ORIGIN/")
endif()
