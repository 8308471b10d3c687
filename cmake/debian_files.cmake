# Run by cpack before it makes packages of what is installed in CPACK_TEMPORARY_INSTALL_DIRECTORY: compresses
# the manual, writes the changelog of the package, strips the archive of symbols for debuggers, and sets modes.
file(GLOB pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/man/man1/*.1)
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${page}.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()

set(time 0)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(time $ENV{SOURCE_DATE_EPOCH})
endif()
execute_process(COMMAND date -u -R -d @${time} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB folders ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/doc/*)
foreach(folder IN LISTS folders)
  get_filename_component(name ${folder} NAME)
  file(WRITE ${folder}/changelog "${name} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION} of tare.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${folder}/changelog.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()

file(GLOB archives ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/lib/lib*.a
  ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/lib/*/lib*.a)
foreach(archive IN LISTS archives)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archive}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Folders are for everybody, whatever the umask of who builds.
execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -type d -exec chmod 755 {} +
  COMMAND_ERROR_IS_FATAL ANY)
