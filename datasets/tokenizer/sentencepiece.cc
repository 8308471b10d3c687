extern "C" {
#include "base/error.h" /* names of C */
#include "base/mem.h"
}
#include "datasets/tokenizer/sentencepiece.h"

#include <sentencepiece_processor.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

struct tarei_sentencepiece {
  sentencepiece::SentencePieceProcessor processor;
};

/* The library crashes where an allocation fails while it reads a model, so all that it may need is
 * asked for before: pieces take about ten times as much in memory as in the file. */
static bool sentencepiece_has_room(const size_t bytes) {
  void *volatile room =
      std::malloc(tarei_times(bytes, 32)); /* compilers leave out what is only freed */
  const bool enough = room != nullptr;
  std::free(room);
  return enough && tarei_memory_is_left();
}

tare_status tarei_sentencepiece_open(const void *const data, const size_t bytes,
                                     tarei_sentencepiece **const out, tare_error *const err) {
  *out = nullptr;
  if (!sentencepiece_has_room(bytes)) {
    return tarei_fail_memory(err, "a SentencePiece model", bytes);
  }
  try {
    *out = new tarei_sentencepiece;
    const auto status =
        (*out)->processor.LoadFromSerializedProto({static_cast<const char *>(data), bytes});
    if (!status.ok()) {
      delete *out;
      *out = nullptr;
      return tarei_fail(err, TARE_E_INPUT, "not a SentencePiece model, or a damaged one");
    }
    return TARE_OK;
  } catch (...) { /* no exception may reach C */
    delete *out;
    *out = nullptr;
    return tarei_fail_memory(err, "a SentencePiece model", bytes);
  }
}

void tarei_sentencepiece_close(tarei_sentencepiece *const model) {
  delete model;
}

int32_t tarei_sentencepiece_bos(const tarei_sentencepiece *const model) {
  return model->processor.bos_id();
}

int32_t tarei_sentencepiece_eos(const tarei_sentencepiece *const model) {
  return model->processor.eos_id();
}

tare_status tarei_sentencepiece_encode(const tarei_sentencepiece *const model,
                                       const char *const text, const size_t length,
                                       void (*const add)(void *user, int32_t id), void *const user,
                                       tare_error *const err) {
  try {
    std::vector<int> ids;
    const auto status = model->processor.Encode({text, length}, &ids);
    if (!status.ok()) {
      return tarei_fail(err, TARE_E_INPUT, "SentencePiece: %s", status.error_message());
    }
    for (const int id : ids) {
      add(user, id);
    }
    return TARE_OK;
  } catch (...) {
    return tarei_fail_memory(err, "tokens", length);
  }
}
