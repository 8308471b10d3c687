/* ByteLevel: splits as GPT-2 does, and writes each byte as a character that prints. */
#include "datasets/tokenizer/steps/pattern.h"
#include "datasets/tokenizer/steps/step.h"

typedef struct byte_level_options {
  bool prefix_space;
  tarei_text_pattern *pattern; /* NULL: not split */
} byte_level_options;

static const char GPT2[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

static tare_status byte_level_read(const cJSON *const object, void *const state,
                                   tare_error *const err) {
  byte_level_options *const o = state;
  bool regex = true;
  o->prefix_space = true;
  TAREI_TRY(tarei_field_bool(object, "add_prefix_space", &o->prefix_space, err));
  TAREI_TRY(tarei_field_bool(object, "use_regex", &regex, err));
  return regex ? tarei_pattern_compile(GPT2, &o->pattern, err) : TARE_OK;
}

/* Bytes that print stand for themselves, as characters of Latin-1; the others follow from U+0100
 * on.
 */
static uint32_t character_of(const uint8_t byte) {
  const bool prints = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
  const uint32_t before = byte <= ' ' ? byte : byte <= 0xa0 ? 33u + byte - 0x7f : 67;
  return prints ? byte : 0x100 + before;
}

static void put_bytes(const tarei_text_span *const in, const size_t start, const size_t end,
                      tarei_pieces *const out) {
  for (size_t at = start; at < end; at++) {
    tarei_pieces_put_char(out, character_of((uint8_t)in->text[at]));
  }
  tarei_pieces_end(out, in->at_start && start == 0);
}

static tare_status put_split(const byte_level_options *const o, const tarei_text_span *const in,
                             tarei_pieces *const out, tare_error *const err) {
  tarei_splits splits = {0};
  tare_status status = TARE_OK;
  if (o->pattern) {
    status = tarei_pattern_split(o->pattern, in, &splits, err);
  } else {
    tarei_splits_add(&splits, 0, in->length, false);
  }
  for (size_t i = 0; status == TARE_OK && i < splits.n; i++) {
    put_bytes(in, splits.items[i].start, splits.items[i].end, out);
  }
  if (status == TARE_OK && splits.failed) {
    status = tarei_fail_memory(err, "splits", in->length);
  }
  tarei_splits_fini(&splits);
  return status;
}

static tare_status byte_level_run(const void *const state, const tarei_text_span *const in,
                                  tarei_pieces *const out, tare_error *const err) {
  const byte_level_options *const o = state;
  if (!o->prefix_space || in->text[0] == ' ') {
    return put_split(o, in, out, err);
  }
  tarei_pieces prefixed = {0};
  tarei_pieces_put(&prefixed, " ", 1);
  tarei_pieces_put(&prefixed, in->text, in->length);
  tare_status status = tarei_pieces_check(&prefixed, err);
  if (status == TARE_OK) {
    const tarei_text_span span = {prefixed.bytes, prefixed.length, in->at_start};
    status = put_split(o, &span, out, err);
  }
  tarei_pieces_fini(&prefixed);
  return status;
}

static void byte_level_fini(void *const state) {
  tarei_pattern_free(((byte_level_options *)state)->pattern);
}

const tarei_step_ops tarei_pre_tokenizer_byte_level = {.type = "ByteLevel",
                                                       .state_bytes = sizeof(byte_level_options),
                                                       .read = byte_level_read,
                                                       .run = byte_level_run,
                                                       .fini = byte_level_fini};
