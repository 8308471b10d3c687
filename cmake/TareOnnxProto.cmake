# tare_onnx_proto(out_source out_include): C code of onnx.proto, made in the build folder.
find_program(TARE_PROTOC_C NAMES protoc-c DOC "protobuf compiler for C")
find_file(TARE_ONNX_PROTO NAMES onnx/onnx.proto PATHS /usr/include /usr/local/include
  DOC "onnx.proto of the ONNX project")

function(tare_onnx_proto out_source out_include)
  if(NOT TARE_PROTOC_C OR NOT TARE_ONNX_PROTO)
    message(FATAL_ERROR "protoc-c and onnx/onnx.proto are needed (Debian: protobuf-c-compiler, "
      "libonnx-dev); set TARE_PROTOC_C and TARE_ONNX_PROTO where they stand elsewhere")
  endif()
  get_filename_component(folder ${TARE_ONNX_PROTO} DIRECTORY)
  get_filename_component(file ${TARE_ONNX_PROTO} NAME)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/proto)
  file(MAKE_DIRECTORY ${out})
  add_custom_command(OUTPUT ${out}/onnx.pb-c.c ${out}/onnx.pb-c.h
    COMMAND ${TARE_PROTOC_C} --c_out=${out} -I${folder} ${file}
    DEPENDS ${TARE_ONNX_PROTO} COMMENT "Generating C code of ${file}" VERBATIM)
  # Not ours: no warnings of ours.
  set_source_files_properties(${out}/onnx.pb-c.c PROPERTIES COMPILE_OPTIONS -w)
  set(${out_source} ${out}/onnx.pb-c.c ${out}/onnx.pb-c.h PARENT_SCOPE)
  set(${out_include} ${out} PARENT_SCOPE)
endfunction()
