#include "datasets/tokenizer/tokenizer.h"

#include <string.h>

#include "base/source.h"
#include "datasets/extension.h"
#include "datasets/tokenizer/sentencepiece.h"
#include "datasets/tokenizer/tokenizer_json.h"
#include "datasets/tokenizer/unicode.h"

struct tarei_tokenizer {
  tarei_tokenizer_json json;          /* without a model if the other is there */
  tarei_sentencepiece *sentencepiece; /* or NULL */
  tarei_template parts;
  tarei_truncation truncation;
};

/* --- opening ---------------------------------------------------------------------------------- */

static tare_status open_sentencepiece(const char *const path,
                                      const tarei_tokenizer_options *const options,
                                      tarei_tokenizer *const out, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tare_status status =
      tarei_sentencepiece_open(source.data, source.size, &out->sentencepiece, err);
  tarei_source_close(&source);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s", path);
  }
  const int32_t bos = options->bos ? tarei_sentencepiece_bos(out->sentencepiece) : -1;
  const int32_t eos = options->eos ? tarei_sentencepiece_eos(out->sentencepiece) : -1;
  if ((options->bos && bos < 0) || (options->eos && eos < 0)) {
    return tarei_fail(err, TARE_E_USAGE, "%s: the model has no token %s", path,
                      options->bos && bos < 0 ? "bos" : "eos");
  }
  return tarei_template_surround(&out->parts, bos, eos, err);
}

static tare_status open_json(const char *const path, const tarei_tokenizer_options *const options,
                             tarei_tokenizer *const out, tare_error *const err) {
  if (options->bos || options->eos) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: special tokens follow from its post-processor, and cannot be chosen",
                      path);
  }
  return tarei_tokenizer_json_read(path, &out->json, &out->parts, &out->truncation, err);
}

tare_status tarei_tokenizer_open(const char *const path,
                                 const tarei_tokenizer_options *const options,
                                 tarei_tokenizer **const out, tare_error *const err) {
  static const char *const MODELS[] = {"model", "spm", NULL};
  *out = tarei_calloc(1, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, path, sizeof **out);
  }
  const tare_status status = tarei_has_extension(path, MODELS)
                                 ? open_sentencepiece(path, options, *out, err)
                                 : open_json(path, options, *out, err);
  if (options->most_tokens) {
    (*out)->truncation.most = options->most_tokens;
  }
  if (status != TARE_OK) {
    tarei_tokenizer_close(*out);
    *out = NULL;
  }
  return status;
}

void tarei_tokenizer_close(tarei_tokenizer *const tokenizer) {
  if (tokenizer) {
    tarei_tokenizer_json_fini(&tokenizer->json);
    tarei_sentencepiece_close(tokenizer->sentencepiece);
    tarei_template_fini(&tokenizer->parts);
    free(tokenizer);
  }
}

const char *tarei_tokenizer_kind(const tarei_tokenizer *const tokenizer) {
  return tokenizer->sentencepiece ? "SentencePiece" : tokenizer->json.model->type;
}

/* --- texts ------------------------------------------------------------------------------------ */

static void add_id(void *const user, const int32_t id) {
  tarei_token_ids_add(user, id);
}

static tare_status encode_text(const tarei_tokenizer *const tokenizer, const char *const text,
                               const size_t length, tarei_token_ids *const out,
                               tare_error *const err) {
  const size_t valid = tarei_utf8_check(text, length);
  if (valid < length) {
    return tarei_fail(err, TARE_E_INPUT, "the text is not UTF-8 at byte %zu", valid);
  }
  if (!tokenizer->sentencepiece) {
    return tarei_tokenizer_json_encode(&tokenizer->json, text, length, out, err);
  }
  TAREI_TRY(tarei_sentencepiece_encode(tokenizer->sentencepiece, text, length, add_id, out, err));
  return out->failed ? tarei_fail_memory(err, "tokens", length) : TARE_OK;
}

/* Puts the texts in their places. */
static tare_status put_parts(const struct tarei_template_list *const list,
                             const tarei_token_ids texts[2], tarei_encoding *const out,
                             tare_error *const err) {
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++) {
    n += list->parts[i].token >= 0 ? 1 : texts[list->parts[i].text].n;
  }
  *out = (tarei_encoding){.ids = tarei_calloc(n, sizeof *out->ids),
                          .types = tarei_calloc(n, sizeof *out->types)};
  if (!out->ids || !out->types) {
    tarei_encoding_fini(out);
    return tarei_fail_memory(err, "tokens", n * sizeof *out->ids);
  }
  for (size_t i = 0; i < list->n; i++) {
    const tarei_template_part *const part = &list->parts[i];
    const tarei_token_ids one = {.items = (int32_t *)&part->token, .n = 1};
    const tarei_token_ids *const from = part->token >= 0 ? &one : &texts[part->text];
    for (size_t t = 0; t < from->n; t++) {
      out->ids[out->n] = from->items[t];
      out->types[out->n++] = part->type;
    }
  }
  return TARE_OK;
}

static tare_status encode_both(const tarei_tokenizer *const tokenizer, const tarei_text *const text,
                               tarei_token_ids texts[2], tarei_encoding *const out,
                               tare_error *const err) {
  const struct tarei_template_list *const list =
      text->pair ? &tokenizer->parts.pair : &tokenizer->parts.single;
  TAREI_TRY(encode_text(tokenizer, text->text, text->length, &texts[0], err));
  if (text->pair) {
    const tare_status status =
        encode_text(tokenizer, text->pair, text->pair_length, &texts[1], err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "second text");
    }
  }
  TAREI_TRY(tarei_truncation_apply(&tokenizer->truncation, tarei_template_added(list), &texts[0],
                                   text->pair ? &texts[1] : NULL, err));
  return put_parts(list, texts, out, err);
}

tare_status tarei_tokenizer_encode(const tarei_tokenizer *const tokenizer,
                                   const tarei_text *const text, tarei_encoding *const out,
                                   tare_error *const err) {
  tarei_token_ids texts[2] = {{0}, {0}};
  const tare_status status = encode_both(tokenizer, text, texts, out, err);
  free(texts[0].items);
  free(texts[1].items);
  return status;
}

void tarei_encoding_fini(tarei_encoding *const encoding) {
  free(encoding->ids);
  free(encoding->types);
  *encoding = (tarei_encoding){0};
}
