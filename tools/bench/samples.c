#include "tools/bench/samples.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

#define MOST_BYTES ((size_t)256 << 20)

static size_t samples_bytes_of(const tare_tensor *const t) {
  return (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
}

static void samples_copy(const tare_tensor *const from, tare_tensor *const to) {
  const size_t bytes = samples_bytes_of(from);
  *to = *from;
  to->data = cli_realloc(NULL, bytes ? bytes : 1, 1);
  memcpy(to->data, from->data, bytes);
}

/* Returns its bytes. */
static size_t samples_add(samples *const s, const tare_sample *const sample) {
  size_t bytes = 0;
  const size_t n = (size_t)s->n, inputs = (size_t)s->n_inputs;
  s->names = cli_realloc(s->names, n + 1, sizeof *s->names);
  s->tensors = cli_realloc(s->tensors, (n + 1) * inputs, sizeof *s->tensors);
  s->names[s->n++] = cli_format("%s", sample->name);
  for (size_t i = 0; i < inputs; i++) {
    samples_copy(&sample->tensors[i], &s->tensors[n * inputs + i]);
    bytes += samples_bytes_of(&sample->tensors[i]);
  }
  return bytes;
}

tare_status samples_read(tare_dataset *const dataset, const int n_inputs, samples *const out,
                         tare_error *const err) {
  size_t bytes = 0;
  *out = (samples){.n_inputs = n_inputs};
  for (;;) {
    const tare_sample *sample = NULL;
    CLI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    if (bytes >= MOST_BYTES) {
      out->cut = true;
      break;
    }
    bytes += samples_add(out, sample);
  }
  return out->n > 0 ? TARE_OK : cli_fail(err, TARE_E_INPUT, "the data hold no good sample");
}

void samples_fini(samples *const s) {
  for (int i = 0; i < s->n; i++) {
    for (int t = 0; t < s->n_inputs; t++) {
      free(s->tensors[i * s->n_inputs + t].data);
    }
    free(s->names[i]);
  }
  free(s->tensors);
  free(s->names);
  *s = (samples){0};
}
