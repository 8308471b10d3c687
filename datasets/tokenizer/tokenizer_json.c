#include "datasets/tokenizer/tokenizer_json.h"

#include <string.h>

#include "base/source.h"
#include "datasets/json_object.h"
#include "datasets/tokenizer/unicode.h"

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status parse_json(const char *const text, const size_t length, cJSON **const out,
                              tare_error *const err) {
  const size_t valid = tarei_utf8_check(text, length);
  if (valid < length) {
    return tarei_fail(err, TARE_E_INPUT, "not UTF-8 at byte %zu", valid);
  }
  return tarei_json_object(text, length, out, err);
}

static tare_status read_model(const cJSON *const object, tarei_tokenizer_json *const out,
                              tare_error *const err) {
  TAREI_TRY(tarei_token_model_of(object, &out->model, err));
  out->state = tarei_calloc(1, out->model->state_bytes);
  if (!out->state) {
    return tarei_fail_memory(err, "a tokenizer", out->model->state_bytes);
  }
  const tare_status status = out->model->read(object, &out->vocab, out->state, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "model '%s'", out->model->type);
}

static tare_status read_object(const cJSON *const object, tarei_tokenizer_json *const out,
                               tarei_template *const parts, tarei_truncation *const truncation,
                               tare_error *const err) {
  TAREI_TRY(read_model(tarei_field(object, "model"), out, err));
  TAREI_TRY(tarei_piece_steps_read(&tarei_normalizers, tarei_field(object, "normalizer"),
                                   &out->normalizers, err));
  TAREI_TRY(tarei_piece_steps_read(&tarei_pre_tokenizers, tarei_field(object, "pre_tokenizer"),
                                   &out->pre_tokenizers, err));
  TAREI_TRY(tarei_added_tokens_read(tarei_field(object, "added_tokens"), &out->vocab,
                                    &out->normalizers, &out->added, err));
  TAREI_TRY(tarei_template_read(tarei_field(object, "post_processor"), parts, err));
  return tarei_truncation_read(tarei_field(object, "truncation"), truncation, err);
}

tare_status tarei_tokenizer_json_read(const char *const path, tarei_tokenizer_json *const out,
                                      tarei_template *const parts,
                                      tarei_truncation *const truncation, tare_error *const err) {
  tarei_source source;
  cJSON *object = NULL;
  TAREI_TRY(tarei_source_open(path, &source, err));
  char *const text = tarei_strndup((const char *)source.data, source.size); /* ends with a zero */
  tare_status status = text || !source.size ? TARE_OK : tarei_fail_memory(err, path, source.size);
  if (status == TARE_OK) {
    status = parse_json(text ? text : "", text ? strlen(text) : 0, &object, err);
  }
  if (status == TARE_OK) {
    status = read_object(object, out, parts, truncation, err);
  }
  cJSON_Delete(object);
  free(text);
  tarei_source_close(&source);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", path);
}

void tarei_tokenizer_json_fini(tarei_tokenizer_json *const json) {
  tarei_steps_fini(&json->normalizers);
  tarei_steps_fini(&json->pre_tokenizers);
  tarei_added_tokens_fini(&json->added);
  tarei_vocab_fini(&json->vocab);
  if (json->state && json->model->fini) {
    json->model->fini(json->state);
  }
  free(json->state);
}

/* --- texts ------------------------------------------------------------------------------------ */

static tare_status encode_pieces(const tarei_tokenizer_json *const json,
                                 const tarei_pieces *const pieces, tarei_token_ids *const out,
                                 tare_error *const err) {
  for (size_t i = 0; i < pieces->n; i++) {
    if (pieces->items[i].token >= 0) {
      tarei_token_ids_add(out, pieces->items[i].token);
    } else {
      const tarei_text_span span = tarei_pieces_span(pieces, i);
      TAREI_TRY(json->model->encode(json->state, &json->vocab, span.text, span.length, out, err));
    }
  }
  return out->failed ? tarei_fail_memory(err, "tokens", out->n * sizeof *out->items) : TARE_OK;
}

static tare_status make_pieces(const tarei_tokenizer_json *const json, tarei_pieces *const pieces,
                               tarei_pieces *const spare, tare_error *const err) {
  const tarei_added_tokens *const added = &json->added;
  TAREI_TRY(tarei_pieces_check(pieces, err));
  TAREI_TRY(tarei_added_tokens_split(added, &added->plain, pieces, spare, err));
  TAREI_TRY(tarei_steps_run(&json->normalizers, pieces, spare, err));
  TAREI_TRY(tarei_added_tokens_split(added, &added->normalized, pieces, spare, err));
  return tarei_steps_run(&json->pre_tokenizers, pieces, spare, err);
}

tare_status tarei_tokenizer_json_encode(const tarei_tokenizer_json *const json,
                                        const char *const text, const size_t length,
                                        tarei_token_ids *const out, tare_error *const err) {
  tarei_pieces pieces = {0}, spare = {0};
  tarei_pieces_put(&pieces, text, length);
  tarei_pieces_end(&pieces, true);
  tare_status status = make_pieces(json, &pieces, &spare, err);
  if (status == TARE_OK) {
    status = encode_pieces(json, &pieces, out, err);
  }
  tarei_pieces_fini(&pieces);
  tarei_pieces_fini(&spare);
  return status;
}
