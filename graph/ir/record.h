/* What a layer was asked to compute in, what it does, and why that differs. */
#ifndef TAREI_GRAPH_IR_RECORD_H
#define TAREI_GRAPH_IR_RECORD_H

#include <tare/plan.h>

#include "base/str.h"

/* Products of u8 and s8 that an int32 sum holds: 255 * -128 so many times stays inside it. */
#define TAREI_INT8_LONGEST_SUM 65793

/* A reason with what it speaks of (include/tare/plan.h). */
typedef struct tarei_reason {
  tare_reason why;
  const char *subject; /* name of a value, or NULL */
  int64_t number;
} tarei_reason;

typedef struct tarei_record {
  tare_precision asked, got;
  tare_reason why;
  char *subject; /* owned, or NULL */
  int64_t number;
} tarei_record;

/* Replaces what the record says; false when out of memory, with the record as it was. */
bool tarei_record_set(tarei_record *record, tare_precision asked, tare_precision got,
                      const tarei_reason *reason);
bool tarei_record_copy(tarei_record *to, const tarei_record *from);
void tarei_record_fini(tarei_record *record);
tarei_reason tarei_record_reason(const tarei_record *record);

/* The sentence of a reason, from reasons.inc; nothing for TARE_REASON_NONE. */
void tarei_reason_print(const tarei_reason *reason, tarei_str *out);

#endif
