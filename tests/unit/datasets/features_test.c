/* Features of audio, against references that other code computed in double precision. */
#include <math.h>

#include "audio_helper.h"

#define FOLDER TARE_SOURCE_DIR "/tests/fixtures/features/"
#define RECORDING FOLDER "recording.wav"
enum { RECORDING_SAMPLES = 4800 };

static const double TOLERANCE = 1e-4;

/* [batch, ?, ?] */
static tare_port features_port(void) {
  return port("x", TARE_F32, 3);
}

static tare_dataset_options options_of(const tare_port *const ports, const int n,
                                       const char *const features) {
  tare_dataset_options options = options_for(ports, n);
  options.features = features;
  return options;
}

static void assert_close(const char *const name, const tare_tensor *const got,
                         const tare_tensor *const want) {
  assert_int_equal(got->rank, want->rank);
  for (int d = 0; d < got->rank; d++) {
    assert_int_equal(got->dims[d], want->dims[d]);
  }
  double worst = 0;
  for (int64_t i = 0; i < tare_tensor_count(got); i++) {
    const double error =
        fabs((double)((const float *)got->data)[i] - (double)((const float *)want->data)[i]);
    worst = error > worst ? error : worst;
  }
  print_message("%s: %.2g\n", name, worst);
  assert_true(worst < TOLERANCE);
}

static void presets_and_options_give_the_references(void **state) {
  (void)state;
  static const struct {
    const char *name, *spec;
  } CASES[] = {
#define TAREI_FEATURE_CASE(name, spec) {name, spec},
#include "../../fixtures/features/cases.inc"
#undef TAREI_FEATURE_CASE
  };
  const tare_port x = features_port();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, FOLDER "%s.npy", CASES[i].name);
    const tare_dataset_options options = options_of(&x, 1, CASES[i].spec);
    tare_dataset *got = open_data(RECORDING, &options), *want = open_data(path, &options);
    assert_close(CASES[i].name, next_sample(got)->tensors, next_sample(want)->tensors);
    tare_dataset_close(&got);
    tare_dataset_close(&want);
  }
}

static void the_model_decides_how_mels_lie(void **state) {
  (void)state;
  static const struct {
    const char *features;
    int64_t a, b; /* of the last dims of the input; -1: a symbol */
    bool mels_first;
  } CASES[] = {{"kaldi", -1, -1, false},
               {"kaldi", 23, -1, true},
               {"kaldi", -1, 23, false},
               {"whisper", -1, 80, false},
               {"whisper,layout=ct", -1, -1, true},
               {"whisper,layout=tc", -1, 80, false}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tare_port x = features_port();
    x.dims[1] = CASES[i].a < 0 ? x.dims[1] : (tare_dim){CASES[i].a, NULL};
    x.dims[2] = CASES[i].b < 0 ? x.dims[2] : (tare_dim){CASES[i].b, NULL};
    const tare_dataset_options options = options_of(&x, 1, CASES[i].features);
    tare_dataset *data = open_data(RECORDING, &options);
    const tare_tensor *const t = next_sample(data)->tensors;
    const int64_t mels = CASES[i].features[0] == 'k' ? 23 : 80;
    assert_int_equal(t->dims[CASES[i].mels_first ? 0 : 1], mels);
    tare_dataset_close(&data);
  }
  tare_port image = port("x", TARE_F32, 4);
  image.dims[1] = (tare_dim){1, NULL};
  const tare_dataset_options options = options_of(&image, 1, "whisper");
  tare_dataset *data = open_data(RECORDING, &options);
  assert_int_equal(next_sample(data)->tensors[0].rank, 3);
  tare_dataset_close(&data);
}

/* NeMo's length leaves the last frame out, that of whisper does not, and a waveform has samples. */
static void a_length_beside_them_is_told(void **state) {
  (void)state;
  const tare_port nemo[] = {port("length", TARE_I64, 1), features_port()};
  const tare_port wave[] = {port("x", TARE_F32, 2), port("x_lens", TARE_I32, 1)};
  tare_dataset_options options = options_of(nemo, 2, "nemo");
  tare_dataset *data = open_data(RECORDING, &options);
  const tare_sample *sample = next_sample(data);
  assert_int_equal(sample->tensors[0].rank, 0);
  assert_int_equal(*(const int64_t *)sample->tensors[0].data, RECORDING_SAMPLES / 160);
  assert_int_equal(sample->tensors[1].dims[1], RECORDING_SAMPLES / 160 + 1);
  tare_dataset_close(&data);
  options.features = "whisper";
  data = open_data(RECORDING, &options);
  sample = next_sample(data);
  assert_int_equal(*(const int64_t *)sample->tensors[0].data, sample->tensors[1].dims[1]);
  tare_dataset_close(&data);
  options = options_for(wave, 2);
  data = open_data(RECORDING, &options);
  assert_int_equal(*(const int32_t *)next_sample(data)->tensors[1].data, RECORDING_SAMPLES);
  tare_dataset_close(&data);
}

static void audio_is_brought_to_the_rate_of_the_features(void **state) {
  (void)state;
  const tare_port x = features_port();
  const tare_dataset_options options = options_of(&x, 1, "librosa");
  tare_dataset *data = open_data(RECORDING, &options);
  assert_string_equal(tare_dataset_describe(data),
                      "audio at 22050 Hz as librosa features of 128 mels, 1 sample");
  const int64_t samples = (int64_t)RECORDING_SAMPLES * 22050 / 16000;
  assert_int_equal(next_sample(data)->tensors[0].dims[1], 1 + samples / 512);
  tare_dataset_close(&data);
}

static void wrong_options_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *features, *part;
  } CASES[] = {
      {"mfcc", "unknown features 'mfcc', expected one of whisper, kaldi"},
      {"", "unknown features ''"},
      {"kaldi,", "expected KEY=VALUE, got ''"},
      {"kaldi,mels", "expected KEY=VALUE, got 'mels'"},
      {"kaldi,bins=80", "unknown feature option 'bins', expected one of rate"},
      {"kaldi,mels=0", "mels: expected an integer from 1 to 4096, got '0'"},
      {"kaldi,mels=80.5", "mels: expected an integer from 1 to 4096, got '80.5'"},
      {"kaldi,mels=", "mels: expected an integer from 1 to 4096, got ''"},
      {"kaldi,mels=nan", "got 'nan'"},
      {"kaldi,window=sinc", "unknown window 'sinc', expected one of hann, hamming"},
      {"kaldi,dither=1", "dither: expected 0, got '1'"},
      {"kaldi,n_fft=401", "n_fft: expected an even number, got 401"},
      {"kaldi,n_fft=256", "win=400 exceeds n_fft=256"},
      {"kaldi,fmin=9000", "mels from 9000 to 8000 Hz are not within 0 to 8000 Hz"},
      {"kaldi,fmax=8001", "are not within 0 to 8000 Hz"},
      {"kaldi,fmax=-8000", "mels from 20 to 0 Hz"},
      {"kaldi,floor=0", "floor: expected a number from 1e-37"},
  };
  tare_port x = features_port();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const tare_dataset_options options = options_of(&x, 1, CASES[i].features);
    refuse_open(RECORDING, &options, TARE_E_USAGE, CASES[i].part);
  }
  tare_dataset_options options = options_of(&x, 1, "whisper");
  options.rate = 8000;
  refuse_open(RECORDING, &options, TARE_E_USAGE, "rate 8000 does not match whisper features");
  options.rate = 16000;
  x.dims[1] = (tare_dim){128, NULL};
  refuse_open(RECORDING, &options, TARE_E_USAGE,
              "whisper features have 80 mels, but dim 1 of 'x' is 128");
  const tare_port flat = port("x", TARE_F32, 1), wide = port("x", TARE_F32, 4);
  options.inputs = &flat;
  refuse_open(RECORDING, &options, TARE_E_USAGE, "features need an input of rank 2 or more");
  options.inputs = &wide;
  refuse_open(RECORDING, &options, TARE_E_USAGE, "dim 1 of 'x' is not 1");
}

static void recordings_too_short_or_long_are_bad_samples(void **state) {
  (void)state;
  const float silence[399] = {0};
  put_audio("short.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16000, 1, 399, silence);
  const tare_port x = features_port();
  tare_dataset_options options = options_of(&x, 1, "kaldi");
  refuse_sample(at("short.wav"), options, 0, 1, "too short for one frame of kaldi features: 399");
  options.features = "nemo";
  tare_dataset *data = open_data(at("short.wav"), &options);
  const tare_tensor *const t = next_sample(data)->tensors;
  assert_int_equal(t->dims[1], 3); /* silence is the same everywhere, and no reason to fail */
  for (int64_t i = 0; i < tare_tensor_count(t); i++) {
    assert_true(((const float *)t->data)[i] == 0);
  }
  tare_dataset_close(&data);
  put_audio("shorter.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 16000, 1, 200, silence);
  options.features = "whisper";
  refuse_sample(at("shorter.wav"), options, 0, 1, "too short for one frame of whisper features");
  options.features = "whisper,pad=480000";
  data = open_data(at("shorter.wav"), &options);
  assert_int_equal(next_sample(data)->tensors[0].dims[1], 3000);
  tare_dataset_close(&data);
  options.limits = elements_limit(100000);
  refuse_sample(at("shorter.wav"), options, 0, 1,
                "has 3000 frames of 80 mels, more than the 100000 that max-elements allows");
}

int features_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_and_options_give_the_references),
      cmocka_unit_test(the_model_decides_how_mels_lie),
      cmocka_unit_test(a_length_beside_them_is_told),
      cmocka_unit_test(audio_is_brought_to_the_rate_of_the_features),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test_setup_teardown(recordings_too_short_or_long_are_bad_samples, make_scratch,
                                      remove_scratch),
  };
  return cmocka_run_group_tests_name("datasets.features", tests, NULL, NULL);
}
