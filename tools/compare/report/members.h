/* Members of the document of `tare compare`, as reports read them. */
#ifndef TAREI_TOOLS_COMPARE_REPORT_MEMBERS_H
#define TAREI_TOOLS_COMPARE_REPORT_MEMBERS_H

#include <cjson/cJSON.h>

/* The member at a path such as "metric.value"; NULL if it is missing or null. */
const cJSON *member_at(const cJSON *object, const char *path);

/* Its text: of a number with as many digits as are needed to read it back, of true and false these
 * words, "" where there is none. The caller frees it. */
char *member_text(const cJSON *object, const char *path);

/* A number, or NAN. */
double member_number(const cJSON *object, const char *path);

/* The strategy of a rank, from 1; NULL if there is none. */
const cJSON *member_ranked(const cJSON *document, int rank);

#endif
