/* Levels of a gain range, and the samples that a data set gives at them. */
#include <math.h>

#include "audio_helper.h"
#include "datasets/gain.h"

enum { FRAMES = 64 };
static float wave[FRAMES];
static tare_port ports[2];
static tare_dataset_options options;

static int set_up(void **state) {
  for (int i = 0; i < FRAMES; i++) {
    wave[i] = (float)(i - FRAMES / 2) / (float)FRAMES;
  }
  ports[0] = port("audio", TARE_F32, 2);
  ports[1] = port("ids", TARE_I64, 2);
  options = options_for(ports, 1);
  return make_scratch(state);
}

static void levels_follow_from_the_range(void **state) {
  (void)state;
  static const struct {
    const char *text, *printed;
    int n, own;
    double db[8];
  } RANGES[] = {{"-20:+20dB", "-20:+20:10dB", 5, 2, {-20, -10, 0, 10, 20}},
                {"-20dB:20DB:20db", "-20:+20:20dB", 3, 1, {-20, 0, 20}},
                {"+12dB", "+0:+12:10dB", 2, 0, {0, 12}},
                {"16", "+0:+16:10dB", 3, 0, {0, 10, 16}},
                {"-25", "-25:+0:10dB", 4, 3, {-25, -20, -10, 0}},
                {"-14.9:0", "-14.9:+0:10dB", 2, 1, {-14.9, 0}},
                {"-3:+6:100dB", "-3:+6:100dB", 3, 1, {-3, 0, 6}},
                {"0:3:1", "+0:+3:1dB", 4, 0, {0, 1, 2, 3}}};
  for (size_t r = 0; r < sizeof RANGES / sizeof *RANGES; r++) {
    tarei_gain gain;
    tarei_str printed = {0};
    assert_int_equal(tarei_gain_parse(RANGES[r].text, &gain, NULL), TARE_OK);
    assert_int_equal(gain.n, RANGES[r].n);
    assert_int_equal(gain.own, RANGES[r].own);
    for (int i = 0; i < gain.n; i++) {
      assert_true(gain.db[i] == RANGES[r].db[i]);
    }
    assert_true(tarei_gain_factor(&gain, gain.own) == 1);
    tarei_gain_print(&gain, &printed);
    assert_string_equal(tarei_str_get(&printed), RANGES[r].printed);
    tarei_str_free(&printed);
  }
}

static void printed_ranges_are_read_again(void **state) {
  (void)state;
  tarei_gain gain, again;
  tarei_str printed = {0};
  assert_int_equal(tarei_gain_parse("-17.25:+3.1:2.7dB", &gain, NULL), TARE_OK);
  tarei_gain_print(&gain, &printed);
  assert_int_equal(tarei_gain_parse(tarei_str_get(&printed), &again, NULL), TARE_OK);
  assert_memory_equal(&gain, &again, sizeof gain);
  tarei_str_free(&printed);
}

static void each_level_has_its_turn_and_its_own_is_first(void **state) {
  (void)state;
  tarei_gain gain;
  assert_int_equal(tarei_gain_parse("-40:+20dB", &gain, NULL), TARE_OK);
  unsigned seen = 0;
  for (int turn = 0; turn < tarei_gain_levels(&gain); turn++) {
    seen |= 1u << tarei_gain_level(&gain, turn);
  }
  assert_int_equal(seen, (1u << gain.n) - 1);
  assert_int_equal(tarei_gain_level(&gain, 0), gain.own);
}

static void bad_ranges_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } RANGES[] = {{"", "expected LOW:HIGH"},
                {"loud", "expected LOW:HIGH"},
                {"-20:", "expected LOW:HIGH"},
                {":20", "expected LOW:HIGH"},
                {"-20:20dBm", "expected LOW:HIGH"},
                {"-20 :20", "expected LOW:HIGH"},
                {" -20:20", "expected LOW:HIGH"},
                {"nan:20", "expected LOW:HIGH"},
                {"-inf:20", "expected LOW:HIGH"},
                {"-20:20:10:5", "at most LOW:HIGH:STEP"},
                {"20:-20dB", "reversed: expected -20:+20dB"},
                {"5:20", "contains 0 dB"},
                {"-20:-5", "contains 0 dB"},
                {"0", "wider than 0 dB"},
                {"0:0dB", "wider than 0 dB"},
                {"-121", "at most 120 dB"},
                {"-20:20:0", "a step of 0.1 dB"},
                {"-20:20:-5", "a step of 0.1 dB"},
                {"-20:20:0.5", "81 levels, more than 64"}};
  for (size_t r = 0; r < sizeof RANGES / sizeof *RANGES; r++) {
    tarei_gain gain;
    tare_error err = {0};
    assert_int_equal(tarei_gain_parse(RANGES[r].text, &gain, &err), TARE_E_USAGE);
    assert_non_null(strstr(err.message, RANGES[r].says));
    assert_int_equal(gain.n, 0);
  }
}

/* By a float32 factor, to the bit. */
static void assert_scaled(const tare_sample *const sample) {
  const float factor = (float)pow(10, sample->gain_db / 20);
  const tare_tensor *const x = &sample->tensors[0];
  assert_int_equal(x->dims[0], FRAMES);
  for (int i = 0; i < FRAMES; i++) {
    assert_true(((const float *)x->data)[i] == wave[i] * factor);
  }
}

static void assert_levels(tare_dataset *const data, const int n_samples) {
  static const double ORDER[] = {0, -20, -10, 10, 20};
  assert_int_equal(tare_dataset_count(data), n_samples);
  assert_int_equal(tare_dataset_n_levels(data), 5);
  assert_string_equal(tare_dataset_gain_range(data), "-20:+20:10dB");
  for (int i = 0; i < 5 * n_samples; i++) {
    const tare_sample *const sample = next_sample(data);
    assert_non_null(sample);
    assert_int_equal(sample->index, i / 5);
    assert_true(sample->gain_db == ORDER[i % 5]);
    assert_true(tare_dataset_level_db(data, sample->level) == sample->gain_db);
    assert_int_equal(strstr(sample->name, " dB") != NULL, sample->gain_db != 0);
    assert_scaled(sample);
  }
  assert_null(next_sample(data));
}

static void audio_comes_at_all_levels(void **state) {
  (void)state;
  put_audio("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES, wave);
  put_audio("b.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES, wave);
  put_audio("c.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES, wave);
  options.gain_range = "-20:+20dB";
  options.limit = 2;
  tare_dataset *data = open_data(scratch, &options);
  assert_levels(data, 2);
  assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  assert_levels(data, 2);
  tare_dataset_close(&data);
}

/* One level has the dims of all. */
static void dims_are_read_once(void **state) {
  (void)state;
  put_audio("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES, wave);
  options.gain_range = "-20:+20dB";
  tare_dataset *data = open_data(scratch, &options);
  assert_int_equal(tare_dataset_rewind_for_dims(data, NULL), TARE_OK);
  assert_true(next_sample(data)->gain_db == 0);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

/* Once for all levels, with the message that has no gain in it. */
static void a_bad_recording_counts_once(void **state) {
  (void)state;
  put_audio("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES, wave);
  put_text("b.wav", "not audio");
  options.gain_range = "-20:+20dB";
  options.skip_bad = true;
  tare_dataset *data = open_data(scratch, &options);
  int n = 0;
  while (next_sample(data)) {
    n++;
  }
  assert_int_equal(n, 5);
  assert_int_equal(tare_dataset_n_bad(data), 1);
  assert_null(strstr(tare_dataset_bad(data, 0), " dB"));
  tare_error why = {.status = TARE_E_SHAPE, .message = "a.wav at -20 dB: too quiet"};
  assert_int_equal(tare_dataset_refuse(data, 0, &why, NULL), TARE_OK);
  strcpy(why.message, "a.wav: too quiet");
  assert_int_equal(tare_dataset_refuse(data, 0, &why, NULL), TARE_OK);
  strcpy(why.message, "a.wav at +20 dB: too quiet");
  assert_int_equal(tare_dataset_refuse(data, 0, &why, NULL), TARE_OK);
  assert_int_equal(tare_dataset_n_bad(data), 2);
  assert_string_equal(tare_dataset_bad(data, 0), "a.wav: too quiet");
  tare_dataset_close(&data);
}

static void put_npy(const char *const name, const char *const type, const void *const values,
                    const size_t bytes) {
  char header[128];
  const int length =
      snprintf(header + 10, sizeof header - 10,
               "{'descr': '%s', 'fortran_order': False, 'shape': (1, %d)}", type, FRAMES);
  memset(header + 10 + length, ' ', sizeof header - 10 - (size_t)length);
  memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
  header[sizeof header - 1] = '\n';
  FILE *const file = fopen(at(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
  assert_int_equal(fwrite(values, 1, bytes, file), bytes);
  fclose(file);
}

static void expect_refusal(const char *const says) {
  const char *const path = at("audio.npy");
  tare_dataset *data = NULL;
  tare_error err = {0};
  assert_int_equal(tare_dataset_open(&path, 1, &options, &data, &err), TARE_E_USAGE);
  if (!strstr(err.message, says)) {
    fail_msg("%s", err.message);
  }
}

static void tensors_need_a_name_for_the_waveform(void **state) {
  (void)state;
  const char *waveform = "audio";
  put_npy("audio.npy", "<f4", wave, sizeof wave);
  options.gain_range = "-20:+20dB";
  expect_refusal("does not say which inputs are waveforms");
  options.waveforms = &waveform;
  options.n_waveforms = 1;
  tare_dataset *data = open_data(at("audio.npy"), &options);
  for (int i = 0; i < 5; i++) {
    const tare_sample *const sample = next_sample(data);
    const tare_tensor *const x = &sample->tensors[0];
    for (int k = 0; k < FRAMES; k++) {
      assert_true(((const float *)x->data)[k] == wave[k] * (float)pow(10, sample->gain_db / 20));
    }
  }
  tare_dataset_close(&data);
  waveform = "sound";
  expect_refusal("waveform 'sound': the model has no such input");
  options.n_inputs = 2;
  waveform = "ids";
  expect_refusal("waveform 'ids' is int64");
  options.n_inputs = 1;
  waveform = "audio";
  options.features = "whisper";
  expect_refusal("is fed with features");
  options.features = NULL;
  options.gain_range = NULL;
  expect_refusal("needs a gain range");
}

/* A gain that leaves the range of the element type makes the sample bad, by name. */
static void overflow_is_named(void **state) {
  (void)state;
  static const char *const waveform = "audio";
  float large[FRAMES];
  for (int i = 0; i < FRAMES; i++) {
    large[i] = i == 3 ? 3e38f : 1;
  }
  put_npy("audio.npy", "<f4", large, sizeof large);
  options.gain_range = "+20dB";
  options.waveforms = &waveform;
  options.n_waveforms = 1;
  tare_dataset *data = open_data(at("audio.npy"), &options);
  const tare_sample *sample = next_sample(data);
  tare_error err = {0};
  assert_int_equal(tare_dataset_next(data, &sample, &err), TARE_E_INPUT);
  if (!strstr(err.message, "element 3 of 'audio' exceeds float32 at +10 dB")) {
    fail_msg("%s", err.message);
  }
  tare_dataset_close(&data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_scratch)
int gain_test(void) {
  const struct CMUnitTest tests[] = {TEST(levels_follow_from_the_range),
                                     TEST(printed_ranges_are_read_again),
                                     TEST(each_level_has_its_turn_and_its_own_is_first),
                                     TEST(bad_ranges_are_refused),
                                     TEST(audio_comes_at_all_levels),
                                     TEST(dims_are_read_once),
                                     TEST(a_bad_recording_counts_once),
                                     TEST(tensors_need_a_name_for_the_waveform),
                                     TEST(overflow_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
