/* Kaldi's script files: wav.scp with recordings, feats.scp with matrices in archives. */
#include <string.h>

#include "datasets/lists/kaldi_add.h"

static tare_status scp_add(tarei_items *const items, const char *const origin,
                           const tarei_utterances *const table,
                           const tarei_utterances *const labels, tare_error *const err) {
  for (size_t i = 0; i < table->n; i++) {
    const tarei_kaldi_line *const u = &table->items[i];
    tarei_item item = {.path = u->value, .origin = origin, .line = u->line};
    TAREI_TRY(tarei_kaldi_label(labels, u->key, &item.label_text, err));
    TAREI_TRY(tarei_kaldi_add(items, &item, err));
  }
  return TARE_OK;
}

static tare_status scp_expand(tarei_items *const items, const char *const path,
                              const tarei_data_spec *const spec, tare_error *const err) {
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  tarei_utterances table, labels = {0};
  tare_status status = tarei_utterances_read(path, NULL, &table, err);
  if (status == TARE_OK) {
    status = tarei_kaldi_labels(path, spec, &labels, err);
  }
  if (status == TARE_OK) {
    status = scp_add(items, origin, &table, &labels, err);
  }
  tarei_utterances_fini(&table);
  tarei_utterances_fini(&labels);
  return status;
}

static const char *const EXTENSIONS[] = {"scp", NULL};

const tarei_sample_list tarei_list_scp = {
    .kind = {"a Kaldi script file", false}, .extensions = EXTENSIONS, .expand = scp_expand};
