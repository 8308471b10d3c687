#include <tare/tare.h>

const char *tare_version(void) {
  return TARE_VERSION;
}
