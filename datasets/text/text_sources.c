#include "datasets/extension.h"
#include "datasets/text/text_source.h"

#define TAREI_TEXT_SOURCE(name) extern const tarei_text_source tarei_text_source_##name;
#include "datasets/text/text_sources.inc"
#undef TAREI_TEXT_SOURCE

const tarei_text_source *tarei_text_source_named(const char *const path) {
  static const tarei_text_source *const SOURCES[] = {
#define TAREI_TEXT_SOURCE(name) &tarei_text_source_##name,
#include "datasets/text/text_sources.inc"
#undef TAREI_TEXT_SOURCE
  };
  for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) {
    if (tarei_has_extension(path, SOURCES[i]->extensions)) {
      return SOURCES[i];
    }
  }
  return NULL;
}

const char *tarei_text_column(const tarei_data_spec *const spec) {
  return spec->text ? spec->text : "text";
}

tare_status tarei_text_check_parts(const char *const path, const tarei_data_spec *const spec,
                                   tare_error *const err) {
  return spec->whole_files
             ? tarei_fail(err, TARE_E_USAGE,
                          "%s: --text-files is for plain text (.txt): this file has a sample in "
                          "each row",
                          path)
             : TARE_OK;
}
