#include "shapes/axis_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tarei_find_port(const tare_port *const ports, const int n, const char *const name,
                    const size_t length) {
  for (int i = 0; i < n; i++) {
    if (strlen(ports[i].name) == length && strncmp(ports[i].name, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

static bool axis_is_named(const tare_port *const port, const int axis, const char *const name,
                          const size_t length) {
  const char *const declared = port->dims[axis].declared;
  const size_t n = strlen(port->name);
  return (declared && strlen(declared) == length && strncmp(declared, name, length) == 0) ||
         (length == n + 3 && strncmp(port->name, name, n) == 0 && name[n] == '_' &&
          name[n + 1] == 'd' && name[n + 2] == '0' + axis);
}

int tarei_find_axis(const tare_port *const ports, const int n, const char *const name,
                    const size_t length, int *const axis) {
  for (int i = 0; i < n; i++) {
    for (*axis = 0; *axis < ports[i].rank; ++*axis) {
      if (axis_is_named(&ports[i], *axis, name, length)) {
        return i;
      }
    }
  }
  return -1;
}

bool tarei_parse_number(const char *const text, const char *const end, int64_t *const out) {
  char *stop;
  errno = 0;
  const long long n = strtoll(text, &stop, 10);
  *out = n;
  return stop != text && stop == end && errno == 0;
}

bool tarei_parse_axis(const tare_port *const inputs, const int n, const char *const name,
                      const size_t length, int *const input, int64_t *const axis) {
  const char *const end = name + length, *colon = end;
  *input = tarei_find_port(inputs, n, name, length);
  *axis = -1;
  while (*input < 0 && colon > name && *--colon != ':') {
  }
  if (*input < 0 && colon < end && *colon == ':') {
    *input = tarei_find_port(inputs, n, name, (size_t)(colon - name));
    if (!tarei_parse_number(colon + 1, end, axis)) {
      *input = -1;
    }
  }
  *axis += *input >= 0 && *axis < 0 ? inputs[*input].rank : 0;
  return *input >= 0;
}
