#include "datasets/tokenizer/template.h"

#include <string.h>

typedef struct tarei_template_list template_list;

static tare_status template_add(template_list *const list, const tarei_template_part part,
                                tare_error *const err) {
  if (!TAREI_GROW(list->parts, list->n, list->capacity)) {
    return tarei_fail_memory(err, "a post-processor", sizeof part);
  }
  list->parts[list->n++] = part;
  return TARE_OK;
}

void tarei_template_fini(tarei_template *const parts) {
  free(parts->single.parts);
  free(parts->pair.parts);
  *parts = (tarei_template){0};
}

size_t tarei_template_added(const template_list *const list) {
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++) {
    n += list->parts[i].token >= 0;
  }
  return n;
}

static tare_status add_token(template_list *const list, const int32_t token, const int32_t type,
                             tare_error *const err) {
  return template_add(list, (tarei_template_part){.token = token, .type = type}, err);
}

static tare_status add_sequence_part(template_list *const list, const int text, const int32_t type,
                                     tare_error *const err) {
  return template_add(list, (tarei_template_part){.token = -1, .text = text, .type = type}, err);
}

/* The texts alone: what there is without a post-processor. */
static tare_status template_plain(tarei_template *const out, tare_error *const err) {
  TAREI_TRY(add_sequence_part(&out->single, 0, 0, err));
  TAREI_TRY(add_sequence_part(&out->pair, 0, 0, err));
  return add_sequence_part(&out->pair, 1, 1, err);
}

tare_status tarei_template_surround(tarei_template *const out, const int32_t first,
                                    const int32_t last, tare_error *const err) {
  if (first >= 0) {
    TAREI_TRY(add_token(&out->single, first, 0, err));
    TAREI_TRY(add_token(&out->pair, first, 0, err));
  }
  TAREI_TRY(template_plain(out, err));
  if (last >= 0) {
    TAREI_TRY(add_token(&out->single, last, 0, err));
    TAREI_TRY(add_token(&out->pair, last, 1, err));
  }
  return TARE_OK;
}

/* --- BertProcessing and RobertaProcessing ----------------------------------------------------- */

/* ["[SEP]", 102] */
static tare_status named_token(const cJSON *const object, const char *const key, int32_t *const out,
                               tare_error *const err) {
  const cJSON *const pair = tarei_field(object, key);
  if (cJSON_GetArraySize(pair) != 2 || !cJSON_IsString(cJSON_GetArrayItem(pair, 0))) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is not a pair of token and number", key);
  }
  return tarei_json_int(cJSON_GetArrayItem(pair, 1), key, 0, out, err);
}

/* [CLS] A [SEP], which both begin with, also for pairs. */
static tare_status add_classified(const cJSON *const object, tarei_template *const out,
                                  int32_t *const sep, tare_error *const err) {
  int32_t cls = 0;
  TAREI_TRY(named_token(object, "cls", &cls, err));
  TAREI_TRY(named_token(object, "sep", sep, err));
  for (int i = 0; i < 2; i++) {
    template_list *const list = i ? &out->pair : &out->single;
    TAREI_TRY(add_token(list, cls, 0, err));
    TAREI_TRY(add_sequence_part(list, 0, 0, err));
    TAREI_TRY(add_token(list, *sep, 0, err));
  }
  return TARE_OK;
}

static tare_status read_bert(const cJSON *const object, tarei_template *const out,
                             tare_error *const err) {
  int32_t sep = 0;
  TAREI_TRY(add_classified(object, out, &sep, err));
  TAREI_TRY(add_sequence_part(&out->pair, 1, 1, err));
  return add_token(&out->pair, sep, 1, err);
}

static tare_status read_roberta(const cJSON *const object, tarei_template *const out,
                                tare_error *const err) {
  int32_t sep = 0;
  TAREI_TRY(add_classified(object, out, &sep, err));
  TAREI_TRY(add_token(&out->pair, sep, 0, err));
  TAREI_TRY(add_sequence_part(&out->pair, 1, 0, err));
  return add_token(&out->pair, sep, 0, err);
}

/* --- TemplateProcessing ----------------------------------------------------------------------- */

static tare_status add_special(const cJSON *const part, const cJSON *const specials,
                               template_list *const list, tare_error *const err) {
  const char *name = NULL;
  int32_t type = 0;
  TAREI_TRY(tarei_field_name(part, "id", &name, err));
  TAREI_TRY(tarei_field_int(part, "type_id", 0, &type, err));
  const cJSON *const ids = tarei_field(tarei_field(specials, name), "ids");
  if (!cJSON_IsArray(ids)) {
    return tarei_fail(err, TARE_E_INPUT, "'special_tokens' has no 'ids' of '%.60s'", name);
  }
  const cJSON *item;
  cJSON_ArrayForEach(item, ids) {
    int32_t id = 0;
    TAREI_TRY(tarei_json_int(item, "a special token", 0, &id, err));
    TAREI_TRY(add_token(list, id, type, err));
  }
  return TARE_OK;
}

static tare_status add_sequence(const cJSON *const part, const int most, template_list *const list,
                                tare_error *const err) {
  const char *name = NULL;
  int32_t type = 0;
  TAREI_TRY(tarei_field_name(part, "id", &name, err));
  TAREI_TRY(tarei_field_int(part, "type_id", 0, &type, err));
  const int text = strcmp(name, "A") == 0 ? 0 : strcmp(name, "B") == 0 ? 1 : 2;
  if (text > most) {
    return tarei_fail(err, TARE_E_INPUT, "sequence '%.60s' is not one of those given", name);
  }
  return add_sequence_part(list, text, type, err);
}

/* `most`: the last text that there is. */
static tare_status read_parts(const cJSON *const object, const char *const key, const int most,
                              template_list *const list, tare_error *const err) {
  const cJSON *const parts = tarei_field(object, key);
  if (!cJSON_IsArray(parts)) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is not a list", key);
  }
  const cJSON *part;
  cJSON_ArrayForEach(part, parts) {
    const cJSON *const special = tarei_field(part, "SpecialToken");
    const cJSON *const sequence = tarei_field(part, "Sequence");
    if (!special && !sequence) {
      return tarei_fail(err, TARE_E_INPUT,
                        "'%s' has a part that is neither a SpecialToken nor a Sequence", key);
    }
    TAREI_TRY(special ? add_special(special, tarei_field(object, "special_tokens"), list, err)
                      : add_sequence(sequence, most, list, err));
  }
  return TARE_OK;
}

static tare_status read_template(const cJSON *const object, tarei_template *const out,
                                 tare_error *const err) {
  TAREI_TRY(read_parts(object, "single", 0, &out->single, err));
  return read_parts(object, "pair", 1, &out->pair, err);
}

/* --- post-processors -------------------------------------------------------------------------- */

/* Changes places of tokens only, which are not used. */
static tare_status read_nothing(const cJSON *const object, tarei_template *const out,
                                tare_error *const err) {
  (void)object;
  (void)out;
  (void)err;
  return TARE_OK;
}

static const struct {
  const char *type;
  tare_status (*read)(const cJSON *object, tarei_template *out, tare_error *err);
} PROCESSORS[] = {{"TemplateProcessing", read_template},
                  {"BertProcessing", read_bert},
                  {"RobertaProcessing", read_roberta},
                  {"ByteLevel", read_nothing}};

enum { N_PROCESSORS = sizeof PROCESSORS / sizeof *PROCESSORS };

static tare_status fail_processor(const char *const type, tare_error *const err) {
  const char *names[N_PROCESSORS + 1];
  for (size_t i = 0; i < N_PROCESSORS; i++) {
    names[i] = PROCESSORS[i].type;
  }
  names[N_PROCESSORS] = "Sequence";
  return tarei_fail_type("type", type, names, N_PROCESSORS + 1, err);
}

static tare_status read_one(const cJSON *const value, tarei_template *const out,
                            tare_error *const err) {
  const char *type = NULL;
  TAREI_TRY(tarei_field_name(value, "type", &type, err));
  for (size_t i = 0; i < N_PROCESSORS; i++) {
    if (strcmp(PROCESSORS[i].type, type) == 0) {
      if (out->single.n && PROCESSORS[i].read != read_nothing) {
        return tarei_fail(err, TARE_E_INPUT, "'%s' is the second of a Sequence that adds tokens",
                          type);
      }
      const tare_status status = PROCESSORS[i].read(value, out, err);
      return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "'%s'", type);
    }
  }
  return fail_processor(type, err);
}

static tare_status read_sequence(const cJSON *const value, tarei_template *const out,
                                 tare_error *const err) {
  const cJSON *const list = tarei_field(value, "processors");
  if (!cJSON_IsArray(list)) {
    return tarei_fail(err, TARE_E_INPUT, "'Sequence': 'processors' is not a list");
  }
  const cJSON *item;
  cJSON_ArrayForEach(item, list) {
    TAREI_TRY(read_one(item, out, err));
  }
  return TARE_OK;
}

tare_status tarei_template_read(const cJSON *const value, tarei_template *const out,
                                tare_error *const err) {
  const char *type = NULL;
  if (value) {
    tare_status status = tarei_field_text(value, "type", &type, err);
    if (status == TARE_OK) {
      status = type && strcmp(type, "Sequence") == 0 ? read_sequence(value, out, err)
                                                     : read_one(value, out, err);
    }
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "post-processor");
    }
  }
  return out->single.n || out->pair.n ? TARE_OK : template_plain(out, err);
}
