/* Tar shards, JSON Lines manifests and Kaldi data: what they give, and how they can be wrong. */
#include <math.h>
#include <sys/stat.h>

#include "audio_helper.h"

#define FIXTURE(name) TARE_SOURCE_DIR "/tests/fixtures/archives/" name

static tare_port audio, matrix;
static tare_dataset_options options;

static int set_up(void **state) {
  audio = port("x", TARE_F32, 2);
  matrix = port("x", TARE_F32, 3);
  options = options_for(&audio, 1);
  return make_scratch(state);
}

/* A sample of one dim, counted in 1/32 for audio. */
typedef struct expected {
  int64_t n;
  float first, last;
  const char *label;
} expected;

static void expect(const char *const path, const tare_dataset_options *const o, const int n,
                   const expected *const all) {
  tare_dataset *data = open_data(path, o);
  assert_int_equal(tare_dataset_count(data), n);
  for (int i = 0; i < n; i++) {
    const tare_sample *const sample = next_sample(data);
    const tare_tensor *const x = &sample->tensors[0];
    const float *const values = x->data;
    const int64_t count = tare_tensor_count(x);
    assert_int_equal(x->dims[x->rank == 2 ? 0 : x->rank - 1], all[i].n);
    assert_true(values[0] == all[i].first);
    assert_true(values[count - 1] == all[i].last);
    assert_int_equal(sample->label_text != NULL, all[i].label != NULL);
    assert_true(!all[i].label || strcmp(sample->label_text, all[i].label) == 0);
  }
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static const float STEP = 1.0f / 32;

static void shards_have_samples_and_labels(void **state) {
  (void)state;
  tare_dataset_options o = options;
  const char *const path = FIXTURE("good_audio.tar");
  expect(path, &o, 2, (const expected[]){{8, 0, 7 * STEP, NULL}, {4, 0, 3 * STEP, NULL}});
  o.labels = "txt";
  expect(path, &o, 2, (const expected[]){{8, 0, 7 * STEP, "3"}, {4, 0, 3 * STEP, "4"}});
  o.labels = "class";
  expect(path, &o, 2, (const expected[]){{8, 0, 7 * STEP, "7"}, {4, 0, 3 * STEP, "8"}});
  o.labels = "text";
  expect(path, &o, 2, (const expected[]){{8, 0, 7 * STEP, "one"}, {4, 0, 3 * STEP, "two"}});
  o.labels = "cls";
  expect(FIXTURE("good_arrays.tar"), &o, 2, (const expected[]){{3, 1, 3, "1"}, {2, 4, 5, "0"}});
}

static void names_of_members_are_no_paths(void **state) {
  (void)state;
  const expected sound = {8, 0, 7 * STEP, NULL};
  expect(FIXTURE("good_names.tar"), &options, 3, (const expected[]){sound, sound, sound});
}

/* Each level takes the same sample again, and any number of threads gives the same. */
static void levels_and_threads(void **state) {
  (void)state;
  for (int threads = 1; threads <= 16; threads *= 4) {
    tare_dataset_options o = options;
    o.gain_range = "-20:+20:20dB";
    o.threads = threads;
    tare_dataset *data = open_data(FIXTURE("good_audio.tar"), &o);
    for (int i = 0; i < 6; i++) {
      static const float FACTORS[] = {1, 0.1f, 10};
      const tare_sample *const sample = next_sample(data);
      const tare_tensor *const x = &sample->tensors[0];
      assert_int_equal(sample->index, i / 3);
      assert_true(((const float *)x->data)[1] == STEP * FACTORS[i % 3]);
    }
    assert_null(next_sample(data));
    tare_dataset_close(&data);
  }
}

static void manifests_of_json_lines(void **state) {
  (void)state;
  tare_dataset_options o = options;
  o.labels = "text";
  expect(
      FIXTURE("good_nemo.jsonl"), &o, 3,
      (const expected[]){
          {8, 0, 7 * STEP, "one"}, {4, 2 * STEP, 5 * STEP, "two"}, {2, 6 * STEP, 7 * STEP, "3"}});
  expect(FIXTURE("good_lhotse.jsonl.gz"), &o, 2,
         (const expected[]){{2, -STEP / 2, -STEP, "four"}, {8, 0, 7 * STEP / 4, "five"}});
}

static void channels_are_chosen(void **state) {
  (void)state;
  tare_dataset_options o = options;
  expect(FIXTURE("stereo.wav"), &o, 1, (const expected[]){{8, 0, 7 * STEP / 4, NULL}});
  o.channel = 1;
  expect(FIXTURE("stereo.wav"), &o, 1, (const expected[]){{8, 0, 7 * STEP, NULL}});
  o.channel = 2;
  expect(FIXTURE("stereo.wav"), &o, 1, (const expected[]){{8, 0, -7 * STEP / 2, NULL}});
  refuse_sample(FIXTURE("ramp.wav"), o, 0, 1, "has 1 channel: there is no channel 2");
}

static void matrices_of_kaldi(void **state) {
  (void)state;
  tare_dataset_options o = options_for(&matrix, 1);
  const expected u1 = {2, 0, 5, NULL}, u2 = {1, 7, 9, NULL};
  expect(FIXTURE("good_matrices.ark"), &o, 2, (const expected[]){u1, u2});
  expect(FIXTURE("good_matrices.scp"), &o, 2, (const expected[]){u1, u2});
  o.labels = "good_labels";
  expect(FIXTURE("good_matrices.scp"), &o, 2, (const expected[]){{2, 0, 5, "5"}, {1, 7, 9, "6"}});
}

/* The same elements, to the bit. */
static void matrices_may_be_compressed(void **state) {
  (void)state;
  const tare_dataset_options o = options_for(&matrix, 1);
  tare_dataset *packed = open_data(FIXTURE("good_compressed.ark"), &o);
  tare_dataset *floats = open_data(FIXTURE("good_uncompressed.ark"), &o);
  for (int i = 0; i < 3; i++) {
    const tare_tensor *const a = next_sample(packed)->tensors, *const b =
                                                                   next_sample(floats)->tensors;
    assert_memory_equal(a->dims, b->dims, sizeof a->dims);
    assert_memory_equal(a->data, b->data, (size_t)tare_tensor_count(b) * sizeof(float));
  }
  assert_null(next_sample(packed));
  tare_dataset_close(&packed);
  tare_dataset_close(&floats);
}

/* Parts of WAV, FLAC and Ogg files hold the frames of the whole file. */
static void segments_are_parts_of_recordings(void **state) {
  (void)state;
  enum { FRAMES = 40000, RATE = 8000 };
  static float noise[FRAMES];
  for (int i = 0; i < FRAMES; i++) {
    noise[i] = sinf((float)i * (float)i / 9000) / 2;
  }
  static const struct {
    const char *name;
    int format;
  } KINDS[] = {{"k.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16},
               {"k.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
               {"k.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS}};
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    put_audio(KINDS[k].name, KINDS[k].format, RATE, 1, FRAMES, noise);
    char script[64];
    snprintf(script, sizeof script, "r %s\n", KINDS[k].name);
    put_text("wav.scp", script);
    put_text("segments", "u1 r 0.5 1.25\nu2 r 3 5.4\nu3 r 4.5 -1\n");
    tare_dataset *whole = open_data(at(KINDS[k].name), &options);
    const float *const all = next_sample(whole)->tensors[0].data;
    tare_dataset *parts = open_data(scratch, &options); /* by the name of its segments */
    static const int FIRST[] = {4000, 24000, 36000}, COUNT[] = {6000, 16000, 4000};
    for (int i = 0; i < 3; i++) {
      const tare_tensor *const x = &next_sample(parts)->tensors[0];
      assert_int_equal(tare_tensor_count(x), COUNT[i]);
      assert_memory_equal(x->data, all + FIRST[i], (size_t)COUNT[i] * sizeof *all);
    }
    assert_null(next_sample(parts));
    tare_dataset_close(&parts);
    tare_dataset_close(&whole);
  }
  put_text("segments", "u1 r 1 9\n");
  refuse_sample(at("segments"), options, 0, 1, "beyond the end of the recording at 5 s");
  put_text("segments", "u1 r 2 1\n");
  refuse_open(at("segments"), &options, TARE_E_INPUT, "end 1 s is not after the start 2 s");
  put_text("segments", "u1 other 1 2\n");
  refuse_open(at("segments"), &options, TARE_E_INPUT, "no recording 'other'");
  put_text("segments", "u1 r 1 x\n");
  refuse_open(at("segments"), &options, TARE_E_INPUT, "line 1: expected UTTERANCE RECORDING");
  put_text("segments", "u1 r nan inf\n");
  refuse_open(at("segments"), &options, TARE_E_INPUT, "line 1: ");
}

/* Opening or reading must fail with a message that contains `part`. */
static void refuse_somewhere(const char *const path, const tare_dataset_options *const o,
                             const char *const part) {
  tare_dataset *data = NULL;
  tare_error err = {0};
  tare_status status = tare_dataset_open(&path, 1, o, &data, &err);
  const tare_sample *sample = NULL;
  do {
    status = status == TARE_OK ? tare_dataset_next(data, &sample, &err) : status;
  } while (status == TARE_OK && sample);
  tare_dataset_close(&data);
  if (status != TARE_E_INPUT) {
    fail_msg("%s: status %s (%s)", path, tare_status_name(status), err.message);
  }
  assert_contains(err.message, part);
}

static void bad_files_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *path, *part;
  } BAD[] = {
      {FIXTURE("bad_link.tar"), "member 'a.wav' is a link"},
      {FIXTURE("bad_hard_link.tar"), "member 'b.wav' is a link"},
      {FIXTURE("bad_device.tar"), "is not a regular file"},
      {FIXTURE("bad_no_data.tar"), "no member is audio or a NumPy array"},
      {FIXTURE("bad_twice.tar"), "duplicate member 'a.wav'"},
      {FIXTURE("bad_two_recordings.tar"), "several recordings"},
      {FIXTURE("bad_mixed.tar"),
       "sample 'b' is arrays, but the first sample of the shard is audio"},
      {FIXTURE("bad_garbage.tar"), "member 'b.wav': not a readable audio file"},
      {FIXTURE("bad_short_member.tar"), "member 'a.wav': truncated"},
      {FIXTURE("bad_empty_member.tar"), "member 'a.wav': not a readable audio file: it is empty"},
      {FIXTURE("bad_cut.tar"), "not a readable tar archive: Truncated"},
      {FIXTURE("bad_cut.tar.gz"), "not a readable tar archive"},
      {FIXTURE("bad_checksum.tar"), "not a readable tar archive"},
      {FIXTURE("bad_size.tar"), "not a readable tar archive"},
      {FIXTURE("bad_large.tar"), "not a readable tar archive"},
      {FIXTURE("bad_text.tar"), "not a readable tar archive: Unrecognized"},
      {FIXTURE("bad_empty.tar"), "not a readable tar archive"},
      {FIXTURE("bad_sizes.ark"), "truncated"},
      {FIXTURE("bad_negative.ark"), "malformed header"},
      {FIXTURE("bad_cut.ark"), "truncated: the matrix at byte 2 declares 6 elements"},
      {FIXTURE("bad_header.ark"), "malformed header"},
      {FIXTURE("bad_compressed.ark"), "truncated: the matrix at byte 2 declares 12 elements"},
      {FIXTURE("bad_compressed_columns.ark"), "truncated"},
      {FIXTURE("bad_compressed_cut.ark"), "declares 12 elements, the archive has 35 bytes more"},
      {FIXTURE("bad_compressed_header.ark"), "malformed header"},
      {FIXTURE("bad_compressed_size.ark"), "malformed header"},
      {FIXTURE("bad_ascii.ark"), "no binary matrix at byte 2"},
      {FIXTURE("bad_kind.ark"), "no matrix of floats at byte 2"},
      {FIXTURE("bad_keys.ark"), "no key at byte 0"},
      {FIXTURE("bad_zero.ark"), "is empty"},
      {FIXTURE("bad_offset.scp"), "offset 4000 is beyond"},
      {FIXTURE("bad_offset_inside.scp"), "no binary matrix at byte 5"},
      {FIXTURE("bad_offset_range.scp"), "is out of range"},
      {FIXTURE("bad_command.scp"), "line 1: 'touch injected |' is a command"},
      {FIXTURE("bad_range.scp"), "selects a range"},
      {FIXTURE("bad_key_twice.scp"), "line 2: duplicate key 'u'"},
      {FIXTURE("bad_no_value.scp"), "line 1: expected a key and a value"},
      {FIXTURE("bad_nul.scp"), "line 1: holds a NUL byte"},
      {FIXTURE("bad_array.jsonl"), "line 1: not a JSON object"},
      {FIXTURE("bad_open.jsonl"), "line 1: not a JSON object"},
      {FIXTURE("bad_deep.jsonl"), "line 1: not a JSON object"},
      {FIXTURE("bad_no_path.jsonl"), "line 1: no 'audio_filepath'"},
      {FIXTURE("bad_path_number.jsonl"), "line 1: 'audio_filepath' is not a string"},
      {FIXTURE("bad_offset_text.jsonl"), "line 1: 'offset' is not a number"},
      {FIXTURE("bad_offset_negative.jsonl"), "line 1: the part begins at -1 s"},
      {FIXTURE("bad_offset_huge.jsonl"), "line 1: the part begins at 1e+300 s"},
      {FIXTURE("bad_offset_beyond.jsonl"), "beyond the end of the recording at 0.001 s"},
      {FIXTURE("bad_duration_zero.jsonl"), "'duration' is 0"},
      {FIXTURE("bad_duration_beyond.jsonl"), "beyond the end of the recording at 0.001 s"},
      {FIXTURE("bad_not_audio.jsonl"), "is not audio"},
      {FIXTURE("bad_command.jsonl"), "the source is of type 'command'"},
      {FIXTURE("bad_two_sources.jsonl"), "expected a recording with one source"},
      {FIXTURE("bad_mixed_cut.jsonl"), "is a 'MixedCut'"},
      {FIXTURE("bad_channels.jsonl"), "'channel' is not one number"},
      {FIXTURE("bad_transforms.jsonl"), "has transforms"},
      {FIXTURE("bad_nul.jsonl"), "line 1: holds a NUL byte"},
      {FIXTURE("bad_cut.jsonl.gz"), "damaged or truncated"},
  };
  const tare_dataset_options of_matrix = options_for(&matrix, 1);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    const bool kaldi = strstr(BAD[i].path, ".ark") || strstr(BAD[i].path, ".scp");
    refuse_somewhere(BAD[i].path, kaldi ? &of_matrix : &options, BAD[i].part);
  }
  assert_int_not_equal(access("injected", F_OK), 0);
  tare_dataset_options labelled = options;
  labelled.labels = "text";
  refuse_somewhere(FIXTURE("bad_labels.tar"), &labelled, "label 'text' is neither");
  refuse_somewhere(FIXTURE("good_names.tar"), &labelled, "has no label");
  refuse_somewhere(FIXTURE("bad_command.jsonl"), &labelled, "of type 'command'");
}

static void limits_bound_members(void **state) {
  (void)state;
  static const float SILENCE[40000];
  put_wav("large.wav", 40000, SILENCE);
  char command[PATH_CAPACITY * 2];
  snprintf(command, sizeof command, "tar cf '%s' -C '%s' large.wav", at("large.tar"), scratch);
  assert_int_equal(system(command), 0);
  tare_dataset_options o = options;
  o.limits = elements_limit(1000);
  refuse_somewhere(at("large.tar"), &o, "more than the 73536 that max-elements allows");
}

int archives_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shards_have_samples_and_labels),
      cmocka_unit_test(names_of_members_are_no_paths),
      cmocka_unit_test(levels_and_threads),
      cmocka_unit_test(manifests_of_json_lines),
      cmocka_unit_test(channels_are_chosen),
      cmocka_unit_test(matrices_of_kaldi),
      cmocka_unit_test(matrices_may_be_compressed),
      cmocka_unit_test(segments_are_parts_of_recordings),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(limits_bound_members),
  };
  return cmocka_run_group_tests_name("datasets.archives", tests, set_up, remove_scratch);
}
