#include "graph/table/formats/json_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

size_t tarei_json_start(const uint8_t *const data, const size_t n) {
  static const uint8_t MARK[] = {0xef, 0xbb, 0xbf};
  size_t at = n >= sizeof MARK && memcmp(data, MARK, sizeof MARK) == 0 ? sizeof MARK : 0;
  while (at < n && data[at] && strchr(" \t\r\n", data[at])) {
    at++;
  }
  return at < n && data[at] == '{' ? at : n;
}

static int json_source_line(const tarei_source *const source, const char *const at) {
  int line = 1;
  for (const char *s = (const char *)source->data; s < at; s++) {
    line += *s == '\n';
  }
  return line;
}

tare_status tarei_json_parse(const tarei_source *const source, cJSON **const out,
                             tare_error *const err) {
  const char *end = NULL;
  const char *const last = (const char *)source->data + source->size;
  errno = 0;
  *out = cJSON_ParseWithLengthOpts((const char *)source->data, source->size, &end,
                                   false /* not NUL-terminated */);
  if (!*out && errno == ENOMEM) {
    return tarei_fail_memory(err, source->name, source->size);
  }
  if (!*out) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %d: not valid JSON, or truncated", source->name,
                      json_source_line(source, end && end <= last ? end : last));
  }
  while (end < last && strchr(" \t\r\n", *end) && *end) {
    end++;
  }
  if (end == last) {
    return TARE_OK;
  }
  cJSON_Delete(*out);
  *out = NULL;
  return tarei_fail(err, TARE_E_INPUT, "%s line %d: text after the end of the JSON object",
                    source->name, json_source_line(source, end));
}

/* The nearest text of so many digits need not be the one that reads back: halfway, and at a power
 * of two, the next one may. */
static bool json_source_bump(char *const text, const double value) {
  char *const last = strchr(text, 'e') - 1;
  if (*last == '9') {
    return false;
  }
  ++*last;
  const bool reads_back = strtod(text, NULL) == value;
  *last -= !reads_back;
  return reads_back;
}

enum { MOST_DIGITS = 17 }; /* of a double */

void tarei_python_number(tarei_str *const json, const double value) {
  char text[40], digits[MOST_DIGITS + 1];
  for (int precision = 0; precision < MOST_DIGITS; precision++) {
    (void)snprintf(text, sizeof text, "%.*e", precision, fabs(value));
    if (strtod(text, NULL) == fabs(value) || json_source_bump(text, fabs(value))) {
      break;
    }
  }
  const char *const e = strchr(text, 'e');
  const int exponent = (int)strtol(e + 1, NULL, 10);
  int n = 0;
  for (const char *s = text; s < e; s++) {
    if (*s != '.') {
      digits[n++] = *s;
    }
  }
  tarei_str_add(json, "%s", signbit(value) ? "-" : "");
  if (exponent < -4 || exponent >= 16) {
    tarei_str_add(json, "%c%s%.*se%+03d", digits[0], n > 1 ? "." : "", n - 1, digits + 1, exponent);
  } else if (exponent < 0) {
    tarei_str_add(json, "0.%.*s%.*s", -exponent - 1, "000", n, digits);
  } else if (n <= exponent + 1) {
    tarei_str_add(json, "%.*s%.*s.0", n, digits, exponent + 1 - n, "0000000000000000");
  } else {
    tarei_str_add(json, "%.*s.%.*s", exponent + 1, digits, n - exponent - 1, digits + exponent + 1);
  }
}

static void python_put_character(tarei_str *const json, const uint32_t c) {
  static const char SHORT[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  for (const char *s = SHORT; *s; s += 2) {
    if (c == (unsigned char)*s) {
      tarei_str_add(json, "\\%c", s[1]);
      return;
    }
  }
  if (c >= 0x20 && c < 0x7f) {
    tarei_str_add(json, "%c", (int)c);
  } else if (c == 0x7f) {
    tarei_str_add(json, "%c", 0x7f);
  } else if (c < 0x10000) {
    tarei_str_add(json, "\\u%04x", c);
  } else {
    tarei_str_add(json, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                  0xdc00 + ((c - 0x10000) & 0x3ff));
  }
}

enum { MOST_PLAIN = 1 << 20 };

/* Characters from here on that need no escape; most texts are one run of them. */
static int json_source_plain(const unsigned char *const s) {
  int n = 0;
  while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' && n < MOST_PLAIN) {
    n++;
  }
  return n;
}

bool tarei_python_string(tarei_str *const json, const char *const text) {
  tarei_str_add(json, "\"");
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    const int plain = json_source_plain(s);
    tarei_str_add(json, "%.*s", plain, (const char *)s);
    s += plain;
    if (!*s) {
      break;
    }
    uint32_t c = 0;
    const int length = tarei_utf8_read((const char *)s, &c);
    if (length == 0) {
      return false;
    }
    python_put_character(json, c);
    s += length;
  }
  tarei_str_add(json, "\"");
  return true;
}

static bool python_put_value(tarei_str *json, const cJSON *value, bool integers);

static bool python_put_members(tarei_str *const json, const cJSON *const value,
                               const bool integers) {
  const bool object = cJSON_IsObject(value);
  bool ok = true;
  tarei_str_add(json, object ? "{" : "[");
  for (const cJSON *item = value->child; item && ok; item = item->next) {
    tarei_str_add(json, "%s", item == value->child ? "" : ", ");
    if (object) {
      ok = tarei_python_string(json, item->string);
      tarei_str_add(json, ": ");
    }
    ok = ok && python_put_value(json, item, integers);
  }
  tarei_str_add(json, object ? "}" : "]");
  return ok;
}

static bool python_put_value(tarei_str *const json, const cJSON *const value, const bool integers) {
  if (cJSON_IsObject(value)) {
    const cJSON *const dtype = cJSON_GetObjectItemCaseSensitive(value, "dtype");
    const char *const name = cJSON_GetStringValue(dtype);
    return python_put_members(json, value, !name || strncmp(name, "float", 5) != 0);
  }
  if (cJSON_IsArray(value)) {
    return python_put_members(json, value, integers);
  }
  if (cJSON_IsString(value)) {
    return tarei_python_string(json, value->valuestring);
  }
  if (!cJSON_IsNumber(value)) {
    tarei_str_add(json, "%s",
                  cJSON_IsTrue(value)    ? "true"
                  : cJSON_IsFalse(value) ? "false"
                                         : "null");
  } else if (integers && value->valuedouble == floor(value->valuedouble) &&
             fabs(value->valuedouble) < 1e18) {
    tarei_str_add(json, "%.0f", value->valuedouble);
  } else {
    tarei_python_number(json, value->valuedouble);
  }
  return true;
}

bool tarei_python_value(tarei_str *const json, const cJSON *const value) {
  return python_put_value(json, value, true);
}
