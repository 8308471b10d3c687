# Unpacks ARCHIVE into the folder OUT, unless that was done since the archive changed. A missing archive
# is no error: what needs it is skipped.
if(NOT EXISTS ${ARCHIVE})
  message("${ARCHIVE} is not there")
  return()
endif()
if(EXISTS ${OUT}/unpacked AND NOT ${ARCHIVE} IS_NEWER_THAN ${OUT}/unpacked)
  return()
endif()
file(REMOVE_RECURSE ${OUT})
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${OUT})
file(TOUCH ${OUT}/unpacked)
