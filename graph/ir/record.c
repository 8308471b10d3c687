#include "graph/ir/record.h"

#include <stdlib.h>

#include "base/mem.h"

const char *tare_precision_name(const tare_precision precision) {
  static const char *const NAMES[TARE_PRECISION_COUNT] = {
      [TARE_PRECISION_ANY] = "any",     [TARE_PRECISION_FP32] = "fp32",
      [TARE_PRECISION_INT8] = "int8",   [TARE_PRECISION_INT8_ROWS] = "int8-rows",
      [TARE_PRECISION_BF16] = "bf16",   [TARE_PRECISION_FP16] = "fp16",
      [TARE_PRECISION_INT16] = "int16", [TARE_PRECISION_INT16_ROWS] = "int16-rows",
  };
  return (unsigned)precision < TARE_PRECISION_COUNT ? NAMES[precision] : NULL;
}

bool tare_precision_is_integer(const tare_precision precision) {
  return precision == TARE_PRECISION_INT8 || precision == TARE_PRECISION_INT8_ROWS ||
         precision == TARE_PRECISION_INT16 || precision == TARE_PRECISION_INT16_ROWS;
}

bool tarei_record_set(tarei_record *const record, const tare_precision asked,
                      const tare_precision got, const tarei_reason *const reason) {
  char *const subject = tarei_strdup(reason->subject);
  if (reason->subject && !subject) {
    return false;
  }
  tarei_record_fini(record);
  *record = (tarei_record){
      .asked = asked, .got = got, .why = reason->why, .subject = subject, .number = reason->number};
  return true;
}

bool tarei_record_copy(tarei_record *const to, const tarei_record *const from) {
  const tarei_reason reason = tarei_record_reason(from);
  return tarei_record_set(to, from->asked, from->got, &reason);
}

void tarei_record_fini(tarei_record *const record) {
  free(record->subject);
  *record = (tarei_record){0};
}

tarei_reason tarei_record_reason(const tarei_record *const record) {
  return (tarei_reason){record->why, record->subject, record->number};
}

void tarei_reason_print(const tarei_reason *const reason, tarei_str *const out) {
  const char *const subject = reason->subject ? reason->subject : "";
  switch (reason->why) {
#define TAREI_REASON(id, ...)        \
  case TARE_REASON_##id:             \
    tarei_str_add(out, __VA_ARGS__); \
    break;
#include "graph/ir/reasons.inc"
#undef TAREI_REASON
    case TARE_REASON_NONE:
    case TARE_REASON_COUNT:
      break;
  }
}
