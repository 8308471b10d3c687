cmake_minimum_required(VERSION 3.25)
# Writes build_info.h, if it is not as it would be written. Without git, as in an archive of the sources,
# the commit is the contents of the file COMMIT, or not known.
set(commit "")
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%h\ of\ %cs --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit STREQUAL "" AND EXISTS ${SOURCE}/COMMIT)
  file(STRINGS ${SOURCE}/COMMIT commit LIMIT_COUNT 1)
endif()
if(commit STREQUAL "")
  set(commit "not known")
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
"/* Made by cmake/write_build_info.cmake. */
#define TARE_BUILD_COMMIT \"@commit@\"
#define TARE_BUILD_MACHINE \"@MACHINE@\"
#define TARE_BUILD_COMPILER \"@COMPILER@\"
#define TARE_BUILD_TYPE \"@TYPE@\"
#define TARE_BUILD_KERNELS \"@KERNELS@\"
#define TARE_BUILD_LIBRARIES \"@LIBRARIES@\"
")
