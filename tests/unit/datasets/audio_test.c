/* Audio: kinds of files, scale, mix, resampling, ports, and files that are broken. */
#include <math.h>

#include "audio_helper.h"
#include "base/half.h"

enum { FRAMES = 4000 };
static float sine[2 * FRAMES];
static tare_port audio;
static tare_dataset_options options;

static int set_up(void **state) {
  for (int i = 0; i < 2 * FRAMES; i++) {
    sine[i] = 0.5f * sinf(2 * 3.14159265f * 440 * (float)i / 8000);
  }
  audio = port("audio", TARE_F32, 2);
  options = options_for(&audio, 1);
  return make_scratch(state);
}

static void each_kind_of_file(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int format;
    float tolerance;
  } KINDS[] = {{"a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 0},
               {"b.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"c.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.1f},
               {"d.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 1e-6f},
               {"e.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 0.2f},
               {"e.au", SF_FORMAT_AU | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"e.sph", SF_FORMAT_NIST | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"e.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"e.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"e.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"e.voc", SF_FORMAT_VOC | SF_FORMAT_PCM_16, 1.0f / 32768},
               {"f.unknown", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1.0f / 32768}};
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    put_audio(KINDS[k].name, KINDS[k].format, 8000, 1, FRAMES, sine);
    tare_dataset *data = open_data(at(KINDS[k].name), &options);
    const tare_sample *const sample = next_sample(data);
    assert_string_equal(sample->name, at(KINDS[k].name));
    assert_null(sample->label_text);
    const tare_tensor *const x = &sample->tensors[0];
    assert_int_equal(x->rank, 1);
    if (KINDS[k].tolerance < 0.2f) {
      assert_int_equal(x->dims[0], FRAMES);
      for (int i = 0; i < FRAMES; i++) {
        assert_true(fabsf(((const float *)x->data)[i] - sine[i]) <= KINDS[k].tolerance);
      }
    } else {
      assert_in_range(x->dims[0], FRAMES, FRAMES + 3000); /* coders of blocks pad */
    }
    assert_null(next_sample(data));
    tare_dataset_close(&data);
  }
}

static void pcm_is_divided_by_32768(void **state) {
  (void)state;
  const short values[] = {-32768, 32767, 0, 1, -1};
  SF_INFO info = {.samplerate = 8000, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16};
  SNDFILE *const file = sf_open(at("pcm.wav"), SFM_WRITE, &info);
  assert_non_null(file);
  sf_write_short(file, values, 5);
  sf_close(file);
  tare_dataset *data = open_data(at("pcm.wav"), &options);
  const float *const x = next_sample(data)->tensors[0].data;
  for (int i = 0; i < 5; i++) {
    assert_true(x[i] == (float)values[i] / 32768.0f);
  }
  tare_dataset_close(&data);
}

static void channels_are_averaged(void **state) {
  (void)state;
  const float frames[] = {0.5f, 0.25f, -1.0f, 0.5f, 0.0f, 0.125f};
  put_audio("stereo.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 2, 3, frames);
  put_audio("three.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 3, 2, frames);
  tare_dataset *data = open_data(at("stereo.wav"), &options);
  const tare_tensor *x = &next_sample(data)->tensors[0];
  assert_int_equal(x->dims[0], 3);
  const float mean[] = {0.375f, -0.25f, 0.0625f};
  assert_memory_equal(x->data, mean, sizeof mean);
  tare_dataset_close(&data);
  data = open_data(at("three.wav"), &options);
  x = &next_sample(data)->tensors[0];
  assert_int_equal(x->dims[0], 2);
  assert_true(fabsf(((const float *)x->data)[0] + 0.25f / 3) < 1e-7f);
  tare_dataset_close(&data);
}

enum { MOST_CHANNELS = 3, BITS_FRAMES = 9000 }; /* several blocks of any number of channels */

/* Numbers over the whole range of the encoding, and a few odd ones. */
static void put_numbers(const char *const name, const int format, const int channels) {
  static double values[BITS_FRAMES * MOST_CHANNELS];
  static const double odd[] = {-0.0, 0, 1, -1, 0x1p-149, -0x1.fffffep-3, 0.1, 1 - 0x1p-30};
  uint32_t x = 2463534242u;
  for (int i = 0; i < BITS_FRAMES * channels; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    values[i] = i < 8 * channels ? odd[i / channels] : ((double)x - 0x1p31) * (0x1p-31 - 0x1p-60);
  }
  SF_INFO info = {.samplerate = 8000, .channels = channels, .format = format};
  SNDFILE *const file = sf_open(at(name), SFM_WRITE, &info);
  assert_non_null(file);
  assert_int_equal(sf_writef_double(file, values, BITS_FRAMES), BITS_FRAMES);
  sf_close(file);
}

/* As float64, rounded to float for each channel, and averaged in float64. */
static void read_numbers(const char *const name, const int channels, float *const out) {
  static double values[BITS_FRAMES * MOST_CHANNELS];
  SF_INFO info = {0};
  SNDFILE *const file = sf_open(at(name), SFM_READ, &info);
  assert_non_null(file);
  assert_int_equal(sf_readf_double(file, values, BITS_FRAMES + 1), BITS_FRAMES);
  sf_close(file);
  for (int i = 0; i < BITS_FRAMES; i++) {
    double sum = 0;
    for (int c = 0; c < channels; c++) {
      sum += (double)(float)values[i * channels + c];
    }
    out[i] = (float)(sum / channels);
  }
}

static void every_encoding_keeps_its_bits(void **state) {
  (void)state;
  static const int FORMATS[] = {
      SF_FORMAT_WAV | SF_FORMAT_PCM_U8,  SF_FORMAT_AIFF | SF_FORMAT_PCM_S8,
      SF_FORMAT_WAV | SF_FORMAT_PCM_16,  SF_FORMAT_WAV | SF_FORMAT_PCM_24,
      SF_FORMAT_WAV | SF_FORMAT_PCM_32,  SF_FORMAT_AIFF | SF_FORMAT_PCM_32,
      SF_FORMAT_FLAC | SF_FORMAT_PCM_24, SF_FORMAT_WAV | SF_FORMAT_FLOAT,
      SF_FORMAT_WAV | SF_FORMAT_DOUBLE,  SF_FORMAT_WAV | SF_FORMAT_ULAW};
  static const tare_dtype DTYPES[] = {TARE_F32, TARE_F64, TARE_F16};
  static float wanted[BITS_FRAMES];
  for (size_t f = 0; f < sizeof FORMATS / sizeof *FORMATS; f++) {
    for (int channels = 1; channels <= MOST_CHANNELS; channels++) {
      put_numbers("bits", FORMATS[f], channels);
      read_numbers("bits", channels, wanted);
      for (size_t d = 0; d < sizeof DTYPES / sizeof *DTYPES; d++) {
        const tare_port to = port("audio", DTYPES[d], 2);
        tare_dataset_options o = options_for(&to, 1);
        tare_dataset *data = open_data(at("bits"), &o);
        const tare_tensor *const x = &next_sample(data)->tensors[0];
        assert_int_equal(x->dims[0], BITS_FRAMES);
        for (int i = 0; i < BITS_FRAMES; i++) {
          const double wide = (double)wanted[i];
          const uint16_t half = tarei_float_to_f16(wanted[i]);
          const void *const bits = DTYPES[d] == TARE_F32   ? (const void *)&wanted[i]
                                   : DTYPES[d] == TARE_F64 ? (const void *)&wide
                                                           : (const void *)&half;
          const size_t size = tare_dtype_size(x->dtype);
          assert_memory_equal((const char *)x->data + (size_t)i * size, bits, size);
        }
        tare_dataset_close(&data);
      }
    }
  }
}

static double energy(const float *const x, const int64_t n) {
  double sum = 0;
  for (int64_t i = n / 10; i < n - n / 10; i++) { /* the ends ring */
    sum += (double)x[i] * (double)x[i];
  }
  return sum / (double)(n - n / 5);
}

static void resampling_keeps_length_and_energy(void **state) {
  (void)state;
  put_audio("tone.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES - 1, sine);
  static const int RATES[] = {16000, 11025, 22050, 4000, 7999, 48000};
  for (size_t r = 0; r < sizeof RATES / sizeof *RATES; r++) {
    options.rate = RATES[r];
    tare_dataset *data = open_data(at("tone.wav"), &options);
    const tare_tensor *const x = &next_sample(data)->tensors[0];
    assert_int_equal(x->dims[0], lround((FRAMES - 1) * (double)RATES[r] / 8000));
    assert_true(fabs(energy(x->data, x->dims[0]) - 0.125) < 0.002);
    for (int64_t i = x->dims[0] / 10; i < x->dims[0] * 9 / 10; i++) { /* in phase, no delay */
      const double t = (double)i / RATES[r];
      assert_true(fabs(((const float *)x->data)[i] - 0.5 * sin(2 * 3.14159265 * 440 * t)) < 0.01);
    }
    tare_dataset_close(&data);
  }
  options.rate = 8000; /* its own: not touched */
  tare_dataset *data = open_data(at("tone.wav"), &options);
  assert_memory_equal(next_sample(data)->tensors[0].data, sine, (FRAMES - 1) * sizeof *sine);
  tare_dataset_close(&data);
  options.rate = 3000000;
  refuse_sample(at("tone.wav"), options, 0, 1,
                "from 8000 Hz to 3000000 Hz: expected a ratio of at most 256");
  options.rate = 0;
}

/* Dims alone are those of the whole samples, and whole samples come again after them. */
static void dims_need_no_resampling(void **state) {
  (void)state;
  put_audio("tone.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, FRAMES - 1, sine);
  static const char *const FEATURES[] = {NULL, "kaldi,mels=80", "whisper"};
  for (size_t f = 0; f < sizeof FEATURES / sizeof *FEATURES; f++) {
    tare_dataset_options o = options;
    o.rate = 16000;
    o.features = FEATURES[f];
    const tare_dim time = {-1, "n"}, mels = {80, NULL};
    const tare_port port = {.name = "x",
                            .dtype = TARE_F32,
                            .rank = f ? 2 : 1,
                            .dims = {f == 2 ? mels : time, f == 2 ? time : mels}};
    o.inputs = &port;
    o.n_inputs = 1;
    tare_dataset *data = open_data(at("tone.wav"), &o);
    const tare_tensor whole = next_sample(data)->tensors[0];
    float *const values = malloc((size_t)tare_tensor_count(&whole) * sizeof *values);
    memcpy(values, whole.data, (size_t)tare_tensor_count(&whole) * sizeof *values);
    assert_int_equal(tare_dataset_rewind_for_dims(data, NULL), TARE_OK);
    const tare_tensor *const dims = &next_sample(data)->tensors[0];
    assert_int_equal(dims->rank, whole.rank);
    assert_memory_equal(dims->dims, whole.dims, (size_t)whole.rank * sizeof *whole.dims);
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    const tare_tensor *const again = &next_sample(data)->tensors[0];
    assert_memory_equal(again->data, values, (size_t)tare_tensor_count(&whole) * sizeof *values);
    free(values);
    tare_dataset_close(&data);
  }
  tare_dataset_options o = options;
  o.rate = 3000000;
  tare_dataset *data = open_data(at("tone.wav"), &o);
  const tare_sample *sample = NULL;
  assert_int_equal(tare_dataset_rewind_for_dims(data, NULL), TARE_OK);
  assert_int_equal(tare_dataset_next(data, &sample, NULL), TARE_E_INPUT);
  tare_dataset_close(&data);
}

static void ports_of_each_shape(void **state) {
  (void)state;
  put_wav("p.wav", 100, sine);
  for (int rank = 1; rank <= 4; rank++) {
    tare_port p = port("audio", TARE_F32, rank);
    for (int d = 1; d < rank - 1; d++) {
      p.dims[d] = (tare_dim){1, NULL};
    }
    const tare_dataset_options o = options_for(&p, 1);
    tare_dataset *data = open_data(at("p.wav"), &o);
    const tare_tensor *const x = &next_sample(data)->tensors[0];
    assert_int_equal(x->rank, rank == 1 ? 1 : rank - 1);
    assert_int_equal(tare_tensor_count(x), 100);
    assert_int_equal(x->dims[x->rank - 1], 100);
    tare_dataset_close(&data);
  }
  tare_port p = port("audio", TARE_F16, 2);
  tare_dataset_options o = options_for(&p, 1);
  tare_dataset *data = open_data(at("p.wav"), &o);
  assert_int_equal(next_sample(data)->tensors[0].dtype, TARE_F16);
  tare_dataset_close(&data);
  p = port("audio", TARE_I64, 2);
  refuse_open(at("p.wav"), &o, TARE_E_USAGE, "audio needs a float input, but 'audio' is int64");
  p = port("audio", TARE_F32, 3);
  refuse_open(at("p.wav"), &o, TARE_E_USAGE, "dim 1 of 'audio' is not 1");
  put_text("weights.pt", "PK");
  put_text("nothing", "");
  refuse_open(at("weights.pt"), &o, TARE_E_INPUT, "weights.pt: not data of a known kind");
  refuse_open(at("nothing"), &o, TARE_E_INPUT, "nothing: not data of a known kind");
  const tare_port two[] = {port("audio", TARE_F32, 2), port("state", TARE_F32, 2)};
  o = options_for(two, 2);
  refuse_open(at("p.wav"), &o, TARE_E_USAGE, "audio feeds one input, but the model has 2");
  o = options;
  o.labels = "digits";
  refuse_open(at("p.wav"), &o, TARE_E_USAGE, "no labels 'digits'");
}

/* [batch, samples, 1], with a symbol or a size for the samples; [batch, 1, 1] takes one sample. */
static void ports_with_the_channel_last(void **state) {
  (void)state;
  put_wav("p.wav", 100, sine);
  for (int fixed = 0; fixed < 2; fixed++) {
    tare_port p = port("audio", TARE_F32, 3);
    p.dims[1] = fixed ? (tare_dim){100, NULL} : p.dims[1];
    p.dims[2] = (tare_dim){1, NULL};
    const tare_dataset_options o = options_for(&p, 1);
    tare_dataset *data = open_data(at("p.wav"), &o);
    const tare_tensor *const x = &next_sample(data)->tensors[0];
    assert_int_equal(x->rank, 2);
    assert_int_equal(x->dims[0], 100);
    assert_int_equal(x->dims[1], 1);
    for (int i = 0; i < 100; i++) {
      assert_true(fabsf(((const float *)x->data)[i] - sine[i]) < 1e-4f);
    }
    tare_dataset_close(&data);
  }
  tare_port p = port("audio", TARE_F32, 3);
  p.dims[1] = p.dims[2] = (tare_dim){1, NULL};
  refuse_sample(at("p.wav"), options_for(&p, 1), 0, 1, "dim 1 is 100, the model needs 1");
}

static void cut_in_half(const char *const from, const char *const to) {
  FILE *const in = fopen(at(from), "rb"), *const out = fopen(at(to), "wb");
  assert_non_null(in);
  assert_non_null(out);
  fseek(in, 0, SEEK_END);
  long left = ftell(in) / 2;
  rewind(in);
  while (left-- > 0) {
    fputc(fgetc(in), out);
  }
  fclose(in);
  fclose(out);
}

static void truncated_files(void **state) {
  (void)state;
  put_wav("whole.wav", FRAMES, sine);
  put_audio("whole.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 8000, 1, 2 * FRAMES, sine);
  put_audio("whole.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 8000, 1, FRAMES, sine);
  put_audio("whole.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 8000, 1, 2 * FRAMES, sine);
  cut_in_half("whole.ogg", "cut.ogg");
  refuse_sample(at("cut.ogg"), options, 0, 1, "truncated inside the Ogg page at byte");
  put_audio("page.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 8000, 1, 2 * FRAMES, sine);
  cut_in_half("page.mp3", "cut.mp3");
  refuse_sample(at("cut.mp3"), options, 0, 1, "cut.mp3: ");
  cut_in_half("whole.wav", "cut.wav");
  cut_in_half("whole.flac", "cut.flac");
  cut_in_half("whole.aiff", "cut.aiff");
  refuse_sample(at("cut.wav"), options, 0, 1, "truncated: the header declares 8000 bytes");
  refuse_sample(at("cut.flac"), options, 0, 1, "cut.flac: cannot read past frame");
  refuse_sample(at("cut.aiff"), options, 0, 1, "truncated: the header declares");
}

/* Containers that say in front how long the audio is, in one way each. */
static void truncated_containers(void **state) {
  (void)state;
  static const struct {
    const char *whole, *cut;
    int format;
    const char *bytes;
  } KINDS[] = {{"whole.au", "cut.au", SF_FORMAT_AU, "8000"},
               {"whole.sph", "cut.sph", SF_FORMAT_NIST, "8000"},
               {"whole.rf64", "cut.rf64", SF_FORMAT_RF64, "8000"},
               {"whole.w64", "cut.w64", SF_FORMAT_W64, "8000"},
               {"whole.caf", "cut.caf", SF_FORMAT_CAF, "8004"},  /* with a count of edits */
               {"whole.voc", "cut.voc", SF_FORMAT_VOC, "8012"}}; /* with its own header */
  for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
    char expected[80];
    put_audio(KINDS[k].whole, KINDS[k].format | SF_FORMAT_PCM_16, 8000, 1, FRAMES, sine);
    cut_in_half(KINDS[k].whole, KINDS[k].cut);
    (void)snprintf(expected, sizeof expected, "truncated: the header declares %s bytes of audio",
                   KINDS[k].bytes);
    refuse_sample(at(KINDS[k].cut), options, 0, 1, expected);
  }
}

/* A size of all ones: the writer could not go back to the header. */
static void written_to_a_pipe(void **state) {
  (void)state;
  put_audio("pipe.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, FRAMES, sine);
  FILE *const file = fopen(at("pipe.wav"), "r+b");
  assert_non_null(file);
  fseek(file, 40, SEEK_SET);
  fputs("\xff\xff\xff\xff", file);
  fclose(file);
  tare_dataset *data = open_data(at("pipe.wav"), &options);
  assert_int_equal(next_sample(data)->tensors[0].dims[0], FRAMES);
  tare_dataset_close(&data);
}

static void files_that_are_no_audio(void **state) {
  (void)state;
  put_text("text.wav", "this is no audio at all");
  put_text("zero.wav", "");
  put_text("riff.wav", "RIFF");
  refuse_sample(at("text.wav"), options, 0, 1, "text.wav: not a readable audio file");
  refuse_sample(at("zero.wav"), options, 0, 1, "zero.wav: not a readable audio file");
  refuse_sample(at("riff.wav"), options, 0, 1, "riff.wav: not a readable audio file");
  refuse_open(at("gone.wav"), &options, TARE_E_INPUT, "gone.wav: cannot open: No such file");
}

static void zero_sample_rate(void **state) {
  (void)state;
  put_wav("rate.wav", 100, sine);
  FILE *const file = fopen(at("rate.wav"), "r+b");
  assert_non_null(file);
  fseek(file, 24, SEEK_SET);
  fwrite("\0\0\0\0", 1, 4, file);
  fclose(file);
  refuse_sample(at("rate.wav"), options, 0, 1, "rate.wav: ");
}

static void empty_and_overlong_recordings(void **state) {
  (void)state;
  put_wav("none.wav", 0, sine);
  refuse_sample(at("none.wav"), options, 0, 1, "none.wav: is empty (0 frames)");
  put_wav("long.wav", FRAMES, sine);
  tare_dataset_options o = options;
  o.limits = elements_limit(FRAMES - 1);
  refuse_sample(at("long.wav"), o, 0, 1, "has 4000 frames, more than the 3999 that max-elements");
  o.limits = elements_limit(FRAMES);
  o.rate = 16000;
  refuse_sample(at("long.wav"), o, 0, 1,
                "has 4000 frames at 8000 Hz, more than the 4000 that max-elements");
}

static void not_finite_samples(void **state) {
  (void)state;
  const float values[] = {0, 1, NAN, 0};
  put_audio("nan.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, 4, values);
  const tare_dataset_options o = options;
  refuse_sample(at("nan.wav"), o, 0, 1, "nan.wav: value nan at frame 2 is not finite");
}

int audio_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_of_file),
      cmocka_unit_test(pcm_is_divided_by_32768),
      cmocka_unit_test(channels_are_averaged),
      cmocka_unit_test(every_encoding_keeps_its_bits),
      cmocka_unit_test(resampling_keeps_length_and_energy),
      cmocka_unit_test(ports_of_each_shape),
      cmocka_unit_test(ports_with_the_channel_last),
      cmocka_unit_test(truncated_files),
      cmocka_unit_test(truncated_containers),
      cmocka_unit_test(written_to_a_pipe),
      cmocka_unit_test(files_that_are_no_audio),
      cmocka_unit_test(dims_need_no_resampling),
      cmocka_unit_test(zero_sample_rate),
      cmocka_unit_test(empty_and_overlong_recordings),
      cmocka_unit_test(not_finite_samples),
  };
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
