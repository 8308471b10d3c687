/* Texts of options: profiles, shapes, files of profiles, globs, chunks, states, lengths, gains,
 * features. The first byte says which. */
#include <stdlib.h>
#include <string.h>
#include <tare/calib.h>

#include "fuzz/harness.h"

static const tare_port options_ports[] = {
    {.name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "samples"}}},
    {.name = "a:b ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "(n + 1)"}}},
    {.name = "lengths", .dtype = TARE_I64, .rank = 1, .dims = {{-1, "batch"}}}};
enum { N_PORTS = sizeof options_ports / sizeof *options_ports };

static void options_look(const tare_profiles *const profiles) {
  int64_t values[TARE_MAX_SYMBOLS];
  const int n = tare_profiles_n_symbols(profiles);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    for (int i = 0; i < n; i++) {
      const tare_range range = tare_profiles_range(profiles, p, i);
      if (range.min < 0 || range.min > range.opt || range.opt > range.max) {
        abort();
      }
      values[i] = range.opt;
    }
    if (tare_profiles_find(profiles, values) < 0) {
      abort();
    }
    (void)tare_profiles_nearest(profiles, values);
  }
}

static void options_profiles(const uint8_t how, char *const text, const size_t size) {
  tare_profiles *profiles = NULL;
  tare_error err = {0};
  fuzz_need(tare_profiles_new(options_ports, N_PORTS, &profiles, &err), &err);
  char *const second = strchr(text, '|'), *const third = second ? strchr(second + 1, '|') : NULL;
  tare_status status;
  if (how == 0) {
    status = tare_profiles_add(profiles, text, &err);
  } else if (how == 1) {
    status = tare_profiles_add_file(profiles, fuzz_file("profiles.json", text, size), &err);
  } else if (third) {
    *second = *third = 0;
    status = tare_profiles_add_shapes(profiles, text, second + 1, third + 1, &err);
  } else {
    status = tare_profiles_add_shapes(profiles, NULL, text, NULL, &err);
  }
  if (fuzz_ok(status, &err)) {
    options_look(profiles);
  }
  tare_profiles_free(&profiles);
}

static void options_streaming(const bool chunk, const char *const text) {
  tare_streaming *streaming = NULL;
  tare_error err = {0};
  fuzz_need(tare_streaming_new(options_ports, N_PORTS, options_ports, N_PORTS, &streaming, &err),
            &err);
  fuzz_ok(chunk ? tare_streaming_set_chunk(streaming, text, 0, &err)
                : tare_streaming_add_state(streaming, text, &err),
          &err);
  tare_streaming_free(&streaming);
}

/* A plan of a small model with requests by name. */
static void options_globs(const char *const text) {
  static tare_model *model;
  static tare_profiles *profiles;
  tare_error err = {0};
  if (!model) {
    fuzz_need(tare_model_load(TARE_SOURCE_DIR "/tests/fixtures/onnx/good_small.onnx", &model, &err),
              &err);
    const tare_port *ports;
    const int n = tare_model_inputs(model, &ports);
    fuzz_need(tare_profiles_new(ports, n, &profiles, &err), &err);
    char spec[256] = "";
    for (int i = 0; i < tare_profiles_n_symbols(profiles); i++) {
      strcat(strcat(strcat(spec, i ? "," : ""), tare_profiles_symbol(profiles, i)), "=1:4:9");
    }
    fuzz_need(tare_profiles_add(profiles, spec, &err), &err);
  }
  char *glob = NULL;
  fuzz_ok(tare_layer_glob(text, &glob, &err), &err);
  tare_free(glob);
  tare_build_options options;
  tare_build_options_init(&options);
  options.layer_precisions = text;
  options.layer_weight_types = text;
  options.layer_output_types = text;
  tare_plan *plan = NULL;
  fuzz_ok(tare_plan_build(model, profiles, &options, &plan, &err), &err);
  tare_plan_free(&plan);
}

static void options_data(const bool gain, const char *const text) {
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = options_ports;
  options.n_inputs = 1;
  options.gain_range = gain ? text : NULL;
  options.features = gain ? NULL : text;
  options.limit = 1;
  fuzz_read_data(TARE_SOURCE_DIR "/tests/fixtures/archives/ramp.wav", &options, 0);
}

static int options_test(const uint8_t *const data, const size_t size) {
  if (!size) {
    return 0;
  }
  char *const text = fuzz_text(data + 1, size - 1);
  tare_length_input length;
  tare_fit fit;
  tare_error err = {0};
  switch (data[0] % 9) {
    case 0:
    case 1:
    case 2:
      options_profiles(data[0] % 9, text, size - 1);
      break;
    case 3:
    case 4:
      options_streaming(data[0] % 9 == 3, text);
      break;
    case 5:
      options_globs(text);
      break;
    case 6:
    case 7:
      options_data(data[0] % 9 == 6, text);
      break;
    default:
      fuzz_ok(tare_length_input_parse(text, options_ports, N_PORTS, &length, &err), &err);
      fuzz_ok(tare_fit_parse(text, &fit, &err), &err);
  }
  free(text);
  return 0;
}

static void options_make(fuzz_take_fn *const take, void *const user) {
  static const char *const texts[] = {"0batch=1:2:4,samples=100:200:300",
                                      "1{\"profiles\": [\"samples=1:2:3\"]}",
                                      "2audio:1x100|audio:2x200|audio:4x300",
                                      "3samples=512",
                                      "4audio:audio",
                                      "5*:fp32,@Conv:int8,a\\,b:bf16",
                                      "6-20:+20:10dB",
                                      "7kaldi,mels=80",
                                      "8lengths=samples"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    take(user, texts[i], strlen(texts[i]));
  }
}

static const char *const options_words[] = {"batch=",
                                            "samples=",
                                            "audio:",
                                            "1x100",
                                            ":",
                                            ",",
                                            "=",
                                            "x",
                                            "|",
                                            "*",
                                            "?",
                                            "[",
                                            "]",
                                            "@",
                                            "\\",
                                            "\"",
                                            "'",
                                            "int8",
                                            "fp32",
                                            "int8-rows",
                                            "bf16",
                                            "dB",
                                            "+",
                                            "-",
                                            "1e9",
                                            "9223372036854775807",
                                            "99999999999999999999",
                                            "mels=",
                                            "fft=",
                                            "hop=",
                                            "window=",
                                            "rate=",
                                            "kaldi",
                                            "whisper",
                                            "nemo",
                                            NULL};

const fuzz_target fuzz_target_options = {
    .name = "options", .make = options_make, .test = options_test, .words = options_words};
