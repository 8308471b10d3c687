/*
 * Data in a format of the program: recordings without a header, as 16-bit samples in the order of
 * bytes of the machine. The program reads one at a time, and the library calibrates with it as with
 * data of its own formats: fitted to the profiles, read ahead, and again where it needs them twice.
 *
 *   own_reader MODEL PROFILE TABLE RECORDING...
 *   own_reader digits-conv.onnx samples=2000:20000:90000 digits.json calib/a.pcm calib/b.pcm
 *
 *   cc own_reader.c $(pkg-config --cflags --libs tare) -o own_reader
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tare/tare.h>

enum { MOST_SAMPLES = 1 << 20 };

/* What tare_feed.user points to: where the feed is, and the recording that it gave last. */
typedef struct recordings {
  char *const *paths;
  int n, at;
  tare_tensor tensor;
  float values[MOST_SAMPLES];
} recordings;

/* Returns how many values the file has; 0 and the reason if it is no recording. */
static int64_t read_values(const char *const path, float *const values, tare_error *const err) {
  static int16_t samples[MOST_SAMPLES + 1];
  FILE *const in = fopen(path, "rb");
  if (!in) {
    snprintf(err->message, sizeof err->message, "%s: %s", path, strerror(errno));
    return 0;
  }
  const size_t n = fread(samples, sizeof *samples, MOST_SAMPLES + 1, in);
  const int failed = ferror(in);
  fclose(in);
  if (failed || n == 0 || n > MOST_SAMPLES) {
    snprintf(err->message, sizeof err->message, "%s: expected 1 to %d samples of 16 bits", path,
             MOST_SAMPLES);
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    values[i] = (float)samples[i] / 32768; /* as the library reads WAV files */
  }
  return (int64_t)n;
}

/* At the end, `out` stays as it is: zero. */
static tare_status next_recording(void *const user, tare_fed_sample *const out,
                                  tare_error *const err) {
  recordings *const r = user;
  if (r->at == r->n) {
    return TARE_OK;
  }
  const int64_t n = read_values(r->paths[r->at++], r->values, err);
  if (n == 0) {
    return err->status = TARE_E_INPUT; /* this one is bad; with skip_bad the others are used */
  }
  r->tensor = (tare_tensor){TARE_F32, 1, {n}, r->values}; /* without the batch dim */
  out->tensors = &r->tensor;                              /* one for each input of the model */
  return TARE_OK;
}

static tare_status begin_again(void *const user, tare_error *const err) {
  (void)err;
  ((recordings *)user)->at = 0;
  return TARE_OK;
}

typedef struct job {
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *data;
  tare_stats *stats;
  tare_table *table;
} job;

static tare_status open_all(job *const j, char **const argv, recordings *const r,
                            tare_error *const err) {
  tare_dataset_options options;
  tare_status status = tare_model_load(argv[1], &j->model, err);
  if (status != TARE_OK) {
    return status;
  }
  tare_dataset_options_init(&options);
  options.n_inputs = tare_model_inputs(j->model, &options.inputs);
  if (options.n_inputs != 1) {
    snprintf(err->message, sizeof err->message, "%s: expected one input", argv[1]);
    return err->status = TARE_E_INPUT;
  }
  status = tare_profiles_new(options.inputs, 1, &j->profiles, err);
  if (status == TARE_OK) {
    status = tare_profiles_add(j->profiles, argv[2], err);
  }
  const tare_feed feed = {
      .name = "recordings", /* messages name samples "recordings[3]" */
      .count = r->n,        /* -1 where it is not known */
      .next = next_recording,
      .rewind = begin_again,
      .user = r,
  };
  return status == TARE_OK ? tare_dataset_open_feed(&feed, &options, &j->data, err) : status;
}

static tare_status make_table(job *const j, const char *const path, tare_error *const err) {
  tare_status status = tare_calibrate(j->model, j->data, j->profiles, NULL, &j->stats, err);
  if (status == TARE_OK) {
    status = tare_table_from_stats(j->stats, NULL, &j->table, err);
  }
  return status == TARE_OK ? tare_table_write_json(j->table, path, err) : status;
}

int main(const int argc, char **const argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: %s MODEL PROFILE TABLE RECORDING...\n", argv[0]);
    return 2;
  }
  static recordings r; /* outlives the data set */
  r.paths = argv + 4;
  r.n = argc - 4;
  job j = {0};
  tare_error err = {0};
  tare_status status = open_all(&j, argv, &r, &err);
  if (status == TARE_OK) {
    status = make_table(&j, argv[3], &err);
  }
  if (status == TARE_OK) {
    printf("%s: %d tensors, from %lld recordings\n", argv[3], tare_table_n_tensors(j.table),
           (long long)tare_stats_profile_samples(j.stats, 0));
  } else {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_table_free(&j.table);
  tare_stats_free(&j.stats);
  tare_dataset_close(&j.data);
  tare_profiles_free(&j.profiles);
  tare_model_free(&j.model);
  return tare_status_exit_code(status);
}
