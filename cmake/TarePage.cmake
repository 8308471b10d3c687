# tare_page(out.c symbol page.html parts...): a C file with a page as bytes, in which {{NAME}} stands for the
# part of that file name. The bytes before {{document}} are <symbol>_head, those behind it <symbol>_tail.
function(tare_page out symbol page)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} -DPAGE=${page} "-DPARTS=${ARGN}"
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    DEPENDS ${page} ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
    COMMENT "Embedding ${page}" VERBATIM)
endfunction()
