#include "datasets/numpy/array_name.h"

#include <ctype.h>
#include <string.h>

bool tarei_array_is_named(const char *const name, const char *const input) {
  const size_t n = strlen(input);
  if (strlen(name) != n) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const bool plain = isalnum((unsigned char)input[i]) || strchr("._-", input[i]);
    if (name[i] != input[i] && (plain || name[i] != '_')) {
      return false;
    }
  }
  return true;
}
