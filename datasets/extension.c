#include "datasets/extension.h"

#include <string.h>
#include <strings.h>

bool tarei_has_extension(const char *const path, const char *const *const extensions) {
  const char *const slash = strrchr(path, '/');
  const char *const name = slash ? slash + 1 : path;
  const size_t length = strlen(name);
  for (int i = 0; extensions[i]; i++) {
    const size_t n = strlen(extensions[i]);
    if (length > n && name[length - n - 1] == '.' &&
        strcasecmp(name + length - n, extensions[i]) == 0) {
      return true;
    }
  }
  return false;
}
