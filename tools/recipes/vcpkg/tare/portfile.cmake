# An overlay port: vcpkg install tare --overlay-ports=tools/recipes/vcpkg, from a checkout of the sources.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DTARE_TESTS=OFF
    -DTARE_COMMAND=OFF
    -DTARE_SENTENCEPIECE=OFF
    -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}
    -DTARE_ONNX_PROTO=${CURRENT_INSTALLED_DIR}/include/onnx/onnx.proto
    -DTARE_PROTOC_C=${CURRENT_HOST_INSTALLED_DIR}/tools/protobuf-c/protoc-c)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tare CONFIG_PATH lib/cmake/tare)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
