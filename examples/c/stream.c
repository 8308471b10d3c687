/*
 * Streaming: feeds a recording to a model in chunks, and carries its states from chunk to chunk, as
 * a program does that hears a microphone.
 *
 *   stream PLAN STATES CHUNK RECORDING
 *   stream vad.plan stateN:state 512 speech.wav
 *
 * STATES are pairs OUTPUT:INPUT, with commas between; the other input gets CHUNK samples at a time.
 * Prints the last value of the first output that is no state, for each chunk.
 *
 *   cc stream.c $(pkg-config --cflags --libs tare) -o stream
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

enum { MOST = 16 };

typedef struct job {
  tare_plan *plan;
  tare_context *context;
  tare_streaming *streaming;
  tare_dataset *data;
  const tare_port *inputs, *outputs;
  int n_inputs, n_outputs;
  int audio, heard; /* the input for the chunks, and the output to print */
  int64_t chunk;
} job;

static int is_state(const job *const j, const char *const name) {
  for (int s = 0; s < tare_streaming_n_states(j->streaming); s++) {
    if (strcmp(tare_streaming_state_input(j->streaming, s), name) == 0 ||
        strcmp(tare_streaming_state_output(j->streaming, s), name) == 0) {
      return 1;
    }
  }
  return 0;
}

static tare_status declare_states(job *const j, char *const states, tare_error *const err) {
  tare_status status =
      tare_streaming_new(j->inputs, j->n_inputs, j->outputs, j->n_outputs, &j->streaming, err);
  for (char *pair = strtok(states, ","); pair && status == TARE_OK; pair = strtok(NULL, ",")) {
    status = tare_streaming_add_state(j->streaming, pair, err);
  }
  for (int i = j->n_inputs - 1; status == TARE_OK && i >= 0; i--) {
    j->audio = is_state(j, j->inputs[i].name) ? j->audio : i;
  }
  for (int i = j->n_outputs - 1; status == TARE_OK && i >= 0; i--) {
    j->heard = is_state(j, j->outputs[i].name) ? j->heard : i;
  }
  return status;
}

static tare_status open_all(job *const j, char **const argv, tare_error *const err) {
  const char *const path = argv[4];
  const tare_port *ports;
  tare_dataset_options options;
  tare_status status = tare_plan_load(argv[1], &j->plan, err);
  if (status == TARE_OK) {
    j->n_inputs = tare_plan_inputs(j->plan, &j->inputs);
    j->n_outputs = tare_plan_outputs(j->plan, &j->outputs);
    status = declare_states(j, argv[2], err);
  }
  if (status == TARE_OK && (j->n_inputs > MOST || j->n_outputs > MOST)) {
    snprintf(err->message, sizeof err->message, "more than %d inputs or outputs", MOST);
    return TARE_E_UNSUPPORTED;
  }
  if (status == TARE_OK) {
    status = tare_context_new(j->plan, NULL, &j->context, err);
  }
  if (status == TARE_OK) { /* the data supplies what is no state */
    tare_dataset_options_init(&options);
    options.n_inputs = tare_streaming_ports(j->streaming, &ports);
    options.inputs = ports;
    status = tare_dataset_open(&path, 1, &options, &j->data, err);
  }
  return status;
}

/* States begin with zeros. Their symbols are 1, as those of the batch. */
static int make_states(const job *const j, tare_tensor *const tensors) {
  for (int i = 0; i < j->n_inputs; i++) {
    tensors[i] = (tare_tensor){.dtype = j->inputs[i].dtype, .rank = j->inputs[i].rank};
    for (int d = 0; d < j->inputs[i].rank; d++) {
      tensors[i].dims[d] = j->inputs[i].dims[d].symbol ? 1 : j->inputs[i].dims[d].value;
    }
    if (i != j->audio) {
      const size_t count = (size_t)tare_tensor_count(&tensors[i]);
      tensors[i].data = calloc(count, tare_dtype_size(tensors[i].dtype));
      if (!tensors[i].data) {
        return 0;
      }
    }
  }
  return 1;
}

static tare_status run_chunk(const job *const j, tare_tensor *const tensors, const int number,
                             tare_error *const err) {
  tare_tensor outputs[MOST];
  tare_status status = tare_context_run(j->context, tensors, outputs, err);
  if (status == TARE_OK) {
    const tare_tensor *const heard = &outputs[j->heard];
    const float *const values = heard->data;
    const int64_t n = heard->dtype == TARE_F32 ? tare_tensor_count(heard) : 0;
    printf("%d\t%.6g\n", number, n ? (double)values[n - 1] : 0);
    status = tare_streaming_feed(j->streaming, outputs, tensors, err);
  }
  return status;
}

static tare_status listen_to(const job *const j, tare_error *const err) {
  const tare_sample *sample = NULL;
  tare_tensor tensors[MOST];
  tare_status status = tare_dataset_next(j->data, &sample, err);
  if (status != TARE_OK || !sample) {
    return status;
  }
  const tare_tensor *const all = sample->tensors;
  const int64_t length = all->dims[all->rank - 1];
  const size_t size = tare_dtype_size(all->dtype);
  if (!make_states(j, tensors)) {
    snprintf(err->message, sizeof err->message, "out of memory");
    status = TARE_E_MEMORY;
  }
  for (int64_t at = 0; status == TARE_OK && at + j->chunk <= length; at += j->chunk) {
    tare_tensor *const chunk = &tensors[j->audio];
    *chunk = *all;
    chunk->dims[chunk->rank - 1] = j->chunk;
    chunk->data = (char *)all->data + (size_t)at * size;
    status = run_chunk(j, tensors, (int)(at / j->chunk), err);
  }
  for (int i = 0; i < j->n_inputs; i++) {
    if (i != j->audio) {
      free(tensors[i].data);
    }
  }
  return status;
}

int main(const int argc, char **const argv) {
  if (argc != 5 || atoll(argv[3]) < 1) {
    fprintf(stderr, "usage: %s PLAN STATES CHUNK RECORDING\n", argv[0]);
    return 2;
  }
  job j = {.chunk = atoll(argv[3])};
  tare_error err = {0};
  tare_status status = open_all(&j, argv, &err);
  if (status == TARE_OK) {
    status = listen_to(&j, &err);
  }
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_dataset_close(&j.data);
  tare_streaming_free(&j.streaming);
  tare_context_free(&j.context);
  tare_plan_free(&j.plan);
  return tare_status_exit_code(status);
}
