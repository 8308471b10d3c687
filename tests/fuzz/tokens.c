/* Texts through a tokenizer of a file. */
#include "fuzz/tokens.h"

#include <string.h>

void fuzz_tokens(const char *const tokenizer, const uint64_t choices) {
  static const char texts[] =
      "Hello, world! it's 42\nna\xc3\xafve caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87\n\n"
      "<s> [CLS] \xf0\x9f\x98\x80 </s>\ne\xcc\x81 \xff bad\n";
  static const tare_port port = {
      .name = "input_ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &port;
  options.n_inputs = 1;
  options.tokenizer = tokenizer;
  options.max_tokens = choices & 2 ? 5 : 0;
  options.special_tokens = (choices >> 2) % 8 == 0 ? "bos:eos" : NULL;
  options.text_files = choices & 32;
  fuzz_read_data(fuzz_file("texts.txt", texts, sizeof texts - 1), &options, choices);
}
