# What a build was made of: build_info.h for the command, and build-info.txt, from which the SBOM of
# packages is made. The commit is asked for at each build, so that it is that of the sources.

# tare_build_info(target): `target` can include "build_info.h".
function(tare_build_info target)
  set(libraries "")
  foreach(library "hdf5 ${HDF5_VERSION}" "sndfile ${SNDFILE_VERSION}" "samplerate ${SAMPLERATE_VERSION}"
      "archive ${ARCHIVE_VERSION}" "kissfft ${KISSFFT_VERSION}" "protobuf-c ${PROTOBUFC_VERSION}"
      "cjson ${CJSON_VERSION}" "pcre2 ${PCRE2_VERSION}" "utf8proc ${UTF8PROC_VERSION}"
      "zlib ${ZLIB_VERSION}" "xxhash ${XXHASH_VERSION}")
    list(APPEND libraries ${library})
  endforeach()
  if(TARE_HAS_SENTENCEPIECE)
    list(APPEND libraries "sentencepiece ${SENTENCEPIECE_VERSION}")
  endif()
  list(JOIN libraries ", " libraries)
  get_target_property(sources tare_kernels SOURCES)
  set(kernels "")
  foreach(source IN LISTS sources)
    if(source MATCHES "^(x86|arm)/.*_([a-z0-9]+)\\.c$")
      list(APPEND kernels ${CMAKE_MATCH_2})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES kernels)
  list(SORT kernels)
  list(JOIN kernels " " kernels)
  string(TOLOWER "${CMAKE_C_COMPILER_ID}" compiler)
  string(REPLACE "gnu" "gcc" compiler "${compiler}")
  set(folder ${PROJECT_BINARY_DIR}/build-info)
  add_custom_target(tare_build_info BYPRODUCTS ${folder}/build_info.h
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${folder}/build_info.h
      "-DCOMPILER=${compiler} ${CMAKE_C_COMPILER_VERSION}" -DMACHINE=${CMAKE_SYSTEM_PROCESSOR}
      -DTYPE=${CMAKE_BUILD_TYPE} "-DKERNELS=scalar ${kernels}" "-DLIBRARIES=${libraries}"
      -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
    COMMENT "Asking for the commit" VERBATIM)
  add_dependencies(${target} tare_build_info)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
