#include "tools/json_out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "tools/cli.h"

enum { VERSION = 1 }; /* raised when a member changes its meaning or goes */

static void json_no_memory(void) {
  fputs("tare: out of memory\n", stderr);
  exit(tare_status_exit_code(TARE_E_MEMORY));
}

/* Every cJSON call that makes something comes through here: NULL means out of memory. */
static cJSON *made(cJSON *const item) {
  if (!item) {
    json_no_memory();
  }
  return item;
}

cJSON *json_object(void) {
  return made(cJSON_CreateObject());
}
cJSON *json_begin(const char *const command) {
  cJSON *const object = json_object();
  json_text(object, "command", command);
  json_int(object, "json_version", VERSION);
  return object;
}
cJSON *json_array(void) {
  return made(cJSON_CreateArray());
}

cJSON *json_add(cJSON *const parent, const char *const name, cJSON *const child) {
  const bool added =
      name ? cJSON_AddItemToObject(parent, name, child) : cJSON_AddItemToArray(parent, child);
  return made(added ? child : NULL);
}

/* Names of files and in models may hold any bytes, but JSON is UTF-8: what is none becomes U+FFFD.
 */
static char *replace_foreign_bytes(const char *const text) {
  static const char REPLACEMENT[] = "\xef\xbf\xbd";
  const size_t size = strlen(text);
  char *const out = malloc(size * strlen(REPLACEMENT) + 1), *end = out;
  if (!out) {
    json_no_memory();
  }
  for (size_t at = 0; at < size;) {
    utf8proc_int32_t character;
    const utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                (utf8proc_ssize_t)(size - at), &character);
    const size_t bytes = n > 0 ? (size_t)n : strlen(REPLACEMENT);
    memcpy(end, n > 0 ? text + at : REPLACEMENT, bytes);
    end += bytes;
    at += n > 0 ? bytes : 1;
  }
  *end = '\0';
  return out;
}

void json_text(cJSON *const parent, const char *const name, const char *const text) {
  char *const clean = replace_foreign_bytes(text);
  json_add(parent, name, made(cJSON_CreateString(clean)));
  free(clean);
}

void json_real(cJSON *const parent, const char *const name, const double value) {
  json_add(parent, name, made(isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull()));
}

void json_int(cJSON *const parent, const char *const name, const int64_t value) {
  json_real(parent, name, (double)value);
}

void json_bool(cJSON *const parent, const char *const name, const bool value) {
  json_add(parent, name, made(cJSON_CreateBool(value)));
}

void json_hash(cJSON *const parent, const char *const name, const uint64_t hash) {
  char *const text = cli_format("%016" PRIx64, hash);
  json_text(parent, name, text);
  free(text);
}

void json_left_out(cJSON *const parent, const tare_left_out *const n) {
  cJSON *const object = json_add(parent, "left_out", json_object());
  json_int(object, "shorter", n->shorter);
  json_int(object, "longer", n->longer);
  json_int(object, "outside", n->outside);
}

cJSON *json_parse(const char *const text) {
  errno = 0;
  cJSON *const item = cJSON_Parse(text);
  return item || errno != ENOMEM ? item : made(NULL);
}

char *json_to_text(const cJSON *const item) {
  char *const text = cJSON_Print(item);
  if (!text) {
    json_no_memory();
  }
  return text;
}

static bool printed; /* the one object of this process */

void json_print(cJSON *const object) {
  printed = true;
  char *const text = json_to_text(object);
  puts(text);
  free(text);
  cJSON_Delete(object);
}

void json_print_error(const char *const command, const tare_error *const err) {
  if (printed) {
    return;
  }
  cJSON *const object = json_begin(command);
  cJSON *const error = json_add(object, "error", json_object());
  json_text(error, "status", tare_status_name(err->status));
  json_int(error, "exit_code", tare_status_exit_code(err->status));
  json_text(error, "message", err->message);
  json_print(object);
}
