#include "tools/show/build_info.h"

#include <build_info.h>
#include <stdio.h>
#include <tare/tare.h>

void build_info_print(void) {
  printf("tare %s (%s, %s, %s)\n", tare_version(), TARE_BUILD_MACHINE, TARE_BUILD_COMPILER,
         TARE_BUILD_TYPE);
  printf("commit     %s\n", TARE_BUILD_COMMIT);
  printf("kernels    %s\n", TARE_BUILD_KERNELS);
  printf("libraries  %s\n", TARE_BUILD_LIBRARIES);
}

void build_info_json(cJSON *const object) {
  cJSON *const build = json_add(object, "build", json_object());
  json_text(build, "commit", TARE_BUILD_COMMIT);
  json_text(build, "machine", TARE_BUILD_MACHINE);
  json_text(build, "compiler", TARE_BUILD_COMPILER);
  json_text(build, "type", TARE_BUILD_TYPE);
  json_text(build, "kernels", TARE_BUILD_KERNELS);
  json_text(build, "libraries", TARE_BUILD_LIBRARIES);
}
