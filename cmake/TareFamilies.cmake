# tare_family(out table.inc pattern): the files of a family, one for each row MACRO(id, ...) of its
# table. The pattern is a path with ID where a row's name goes. A row is all that the build needs.
function(tare_family out table pattern)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^TAREI?_[A-Z_]+\\([a-z]")
  set(files "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^[A-Z_]+\\(([a-z0-9_]+).*" "\\1" id "${row}")
    string(REPLACE ID ${id} file ${pattern})
    list(APPEND files ${file})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()
