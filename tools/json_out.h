/* JSON on stdout. A figure that is not a finite number is null: JSON has no other word for it. */
#ifndef TAREI_TOOLS_JSON_OUT_H
#define TAREI_TOOLS_JSON_OUT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <tare/dataset.h>
#include <tare/status.h>

cJSON *json_object(void);

/* An object that a command prints: with the command's name and the version of this JSON
 * (docs/json.md). */
cJSON *json_begin(const char *command);
cJSON *json_array(void);

/* Add to an object under a name, or to an array where name is NULL. The child is returned. */
cJSON *json_add(cJSON *parent, const char *name, cJSON *child);
void json_text(cJSON *parent, const char *name, const char *text);
void json_real(cJSON *parent, const char *name, double value);
void json_int(cJSON *parent, const char *name, int64_t value);
void json_bool(cJSON *parent, const char *name, bool value);
void json_hash(cJSON *parent, const char *name, uint64_t hash);

/* "left_out": how many samples were left out, and why. */
void json_left_out(cJSON *parent, const tare_left_out *n);

/* Reads a text; NULL if it is no JSON. cJSON_Delete it. */
cJSON *json_parse(const char *text);

/* The text of an object or array; the caller frees it. */
char *json_to_text(const cJSON *item);

/* Prints the object on stdout and frees it. */
void json_print(cJSON *object);

/* Prints an object that says what went wrong, unless one was printed already: a command prints one.
 */
void json_print_error(const char *command, const tare_error *err);

#endif
