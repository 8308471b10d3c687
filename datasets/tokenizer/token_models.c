#include <string.h>

#include "datasets/tokenizer/token_model.h"

#define TAREI_TOKEN_MODEL(name) extern const tarei_token_model tarei_token_model_##name;
#include "datasets/tokenizer/models.inc"
#undef TAREI_TOKEN_MODEL

static const tarei_token_model *const MODELS[] = {
#define TAREI_TOKEN_MODEL(name) &tarei_token_model_##name,
#include "datasets/tokenizer/models.inc"
#undef TAREI_TOKEN_MODEL
};

/* Older files do not say which model it is. */
static const char *guess_type(const cJSON *const object) {
  return tarei_field(object, "merges")                      ? "BPE"
         : cJSON_IsArray(tarei_field(object, "vocab"))      ? "Unigram"
         : tarei_field(object, "continuing_subword_prefix") ? "WordPiece"
                                                            : "WordLevel";
}

static tare_status fail_model(const char *const type, tare_error *const err) {
  const char *names[sizeof MODELS / sizeof *MODELS];
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    names[i] = MODELS[i]->type;
  }
  return tarei_fail_type("model", type, names, sizeof MODELS / sizeof *MODELS, err);
}

tare_status tarei_token_model_of(const cJSON *const object, const tarei_token_model **const out,
                                 tare_error *const err) {
  if (!cJSON_IsObject(object)) {
    return tarei_fail(err, TARE_E_INPUT, "'model' is not an object");
  }
  const char *type = guess_type(object);
  TAREI_TRY(tarei_field_text(object, "type", &type, err));
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    if (strcmp(MODELS[i]->type, type) == 0) {
      *out = MODELS[i];
      return TARE_OK;
    }
  }
  return fail_model(type, err);
}
