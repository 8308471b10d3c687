# What is installed, in components, each a Debian package: the library (libtare0), what is needed to
# build with it (libtare-dev), the command (tare), where MPI was found the module by which its ranks
# exchange messages (tare-mpi), and where Debian's Python has cffi the Python package (python3-tare).
include(CMakePackageConfigHelpers)

set(TARE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tare)

install(TARGETS tare EXPORT tare
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS tare_static EXPORT tare_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h")
# What a program links beside libtare.a.
set(TARE_PC_REQUIRES "hdf5 sndfile samplerate libarchive kissfft-float libprotobuf-c libcjson libpcre2-8 libutf8proc zlib libxxhash")
set(TARE_PC_LIBS "-pthread -lm")
set(libraries Threads::Threads PkgConfig::TARE_STATIC m)
if(TARE_HAS_SENTENCEPIECE)
  string(APPEND TARE_PC_REQUIRES " sentencepiece")
  string(APPEND TARE_PC_LIBS " -lstdc++")
  list(APPEND libraries stdc++)
endif()

# For CMake: two files of targets, as only who links the archive needs what it links.
list(TRANSFORM libraries REPLACE "(.+)" "$<LINK_ONLY:\\1>")
target_link_libraries(tare_static INTERFACE "$<INSTALL_INTERFACE:${libraries}>")
target_include_directories(tare_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(name tare tare_static)
  install(EXPORT ${name} NAMESPACE tare:: FILE ${name}_targets.cmake DESTINATION ${TARE_CMAKE_DIR}
    COMPONENT development)
endforeach()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tareConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/tareConfig.cmake.in tareConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tareConfig.cmake ${PROJECT_BINARY_DIR}/tareConfigVersion.cmake
  DESTINATION ${TARE_CMAKE_DIR} COMPONENT development)

# For pkg-config: only the installation knows the prefix, and fills it in where it has to be absolute. This is so below
# an absolute folder, and in /usr: pkg-config drops flags for folders of the compiler only if they are spelled as it
# spells them, and that of freedesktop.org puts a sysroot before paths from ${pcfiledir}, which have it already.
set(TARE_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
tare_path_from(path "${TARE_PC_DIR}" .)
string(REGEX REPLACE "/$" "" path "${path}")
set(folder ${TARE_PC_DIR})
if(NOT IS_ABSOLUTE "${folder}")
  string(PREPEND folder "\${CMAKE_INSTALL_PREFIX}/")
endif()
set(TARE_PC_PREFIX @TARE_PC_PREFIX@)
foreach(name LIBDIR INCLUDEDIR)
  set(TARE_PC_${name} ${CMAKE_INSTALL_${name}})
  if(NOT IS_ABSOLUTE "${TARE_PC_${name}}")
    string(PREPEND TARE_PC_${name} "\${prefix}/")
  endif()
endforeach()
foreach(name tare tare-static)
  configure_file(cmake/${name}.pc.in ${name}.pc.in @ONLY)
endforeach()
install(CODE "
  set(TARE_PC_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
  if(NOT IS_ABSOLUTE \"${TARE_PC_DIR}\" AND NOT TARE_PC_PREFIX MATCHES \"^(/usr)?$\")
    set(TARE_PC_PREFIX \"\\\${pcfiledir}/${path}\")
  endif()
  foreach(name tare tare-static)
    configure_file(\"${PROJECT_BINARY_DIR}/\${name}.pc.in\" \"${PROJECT_BINARY_DIR}/\${name}.pc\" @ONLY)
    file(INSTALL \"${PROJECT_BINARY_DIR}/\${name}.pc\" DESTINATION \"${folder}\")
  endforeach()" COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/c/ COMPONENT development
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtare-dev/examples)

if(TARE_COMMAND)
  install(TARGETS tare_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  file(GLOB TARE_MAN_PAGES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
  install(FILES ${TARE_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES tools/completions/tare.bash RENAME tare COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES tools/completions/_tare COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES tools/completions/tare.fish COMPONENT command
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

set(TARE_COMPONENTS library:libtare0 development:libtare-dev)
if(TARE_COMMAND)
  list(APPEND TARE_COMPONENTS command:tare)
endif()
if(TARE_MPI AND TARE_COMMAND)
  install(TARGETS tare_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tare COMPONENT mpi)
  list(APPEND TARE_COMPONENTS mpi:tare-mpi)
endif()
if(TARE_COMMAND)
  include(cmake/TarePython.cmake)
endif()
if(TARE_PYTHON_HAS_CFFI)
  list(APPEND TARE_COMPONENTS python:python3-tare)
endif()

set(CPACK_COMPONENTS_ALL)
foreach(package IN LISTS TARE_COMPONENTS)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 component)
  list(GET package 1 name)
  string(TOUPPER ${component} COMPONENT)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
    COMPONENT ${component})
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name})
endforeach()

# The version of the packages is that of the library; what it links to is found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tare)
set(CPACK_PACKAGE_VENDOR "The tare authors")
set(TARE_PACKAGE_CONTACT "The tare authors <packages@tare.invalid>" CACHE STRING
  "who answers for packages that are built here: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${TARE_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/tools)
# What programs that link the library depend on, and that the cache of the linker is to be made anew.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libtare 0 libtare0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs
  ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libtare0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libtare0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "tare-mpi")
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tare (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
  "libtare0 (= ${PROJECT_VERSION}), python3 (>= 3.9), python3-cffi-backend (>= 1.15), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/postinst
  ${PROJECT_BINARY_DIR}/debian/prerm)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "INT8 calibration and engine for models of any length: library\ntare calibrates ONNX models whose inputs change length, as audio and text do,\nand runs them in 8 bits on CPUs.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "INT8 calibration and engine for models of any length: headers\nHeaders, pkg-config and CMake files, and examples in C of the library tare.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
  "INT8 calibration and engine for models of any length: command\nThe command tare calibrates ONNX models, compares strategies, writes\ncalibration tables, quantized models and plans, and runs and measures them.")
set(CPACK_COMPONENT_MPI_DESCRIPTION
  "INT8 calibration and engine for models of any length: MPI\nThe module by which several ranks of mpirun (Open MPI) calibrate one model\ntogether.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
  "INT8 calibration and engine for models of any length: Python\nThe Python package tare: models, calibration, tables, plans and evaluation\nas objects, with NumPy arrays of any length.")
# What Debian asks of every package, and this build knows.
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
include(CPack)
