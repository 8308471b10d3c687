/* States by name and declared, chunks, and a sample carried through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shapes/streaming.h"

static const tare_port inputs[] = {
    {"audio", TARE_F32, 2, {{-1, "batch"}, {-1, "samples"}}},
    {"state", TARE_F32, 3, {{2, NULL}, {-1, "batch"}, {3, NULL}}},
    {"rate", TARE_I64, 0, {{0, NULL}}},
};
static const tare_port outputs[] = {
    {"speech", TARE_F32, 2, {{-1, "batch"}, {1, NULL}}},
    {"stateN", TARE_F32, 3, {{2, NULL}, {-1, "batch"}, {-1, "a dim without name"}}},
};

static tare_streaming *make(void) {
  tare_streaming *s = NULL;
  assert_int_equal(tare_streaming_new(inputs, 3, outputs, 2, &s, NULL), TARE_OK);
  return s;
}

static void names_tell_states(void **state) {
  (void)state;
  static const struct {
    const char *input, *output;
    bool pair;
  } cases[] = {
      {"state", "stateN", true},
      {"state", "state_out", true},
      {"h0", "hn", true},
      {"c_0", "c_n", true},
      {"h0", "cn", false},
      {"conv_cache", "conv_cache_out", true},
      {"conv_cache", "inter_cache_out", false},
      {"past_0", "present_0", true},
      {"past_0", "present_1", false},
      {"past_1", "present_10", false},
      {"past_key_values.0.key", "present.0.key", true},
      {"past_key_values.0.key", "present.0.value", false},
      {"past_key_values.11.key", "present.1.key", false},
      {"cached_avg_3", "new_cached_avg_3", true},
      {"in_cache0", "out_cache0", true},
      {"in_cache0", "out_cache1", false},
      {"prev_hidden", "next_hidden", true},
      {"cache_in", "cache_out", true},
      {"input", "output", false},
      {"mix", "enh", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (tarei_state_names_pair(cases[i].input, cases[i].output) != cases[i].pair) {
      fail_msg("%s and %s", cases[i].input, cases[i].output);
    }
  }
}

static void names_tell_of_states_or_only_pair(void **state) {
  (void)state;
  static const struct {
    const char *input, *output;
    bool tell;
  } cases[] = {
      {"state", "stateN", true},
      {"h0", "hn", true},
      {"c_in", "c_out", true},
      {"conv_cache", "conv_cache_out", true},
      {"x_prev", "x_next", true},
      {"x", "xN", true},
      {"past_key_values.0.key", "present.0.key", true},
      {"kv_0", "kv_0_out", true},
      {"x", "x_out", false},
      {"embeds", "embeds_out", false},
      {"audio_in", "audio_out", false},
      {"ctx", "output_ctx", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!tarei_state_names_pair(cases[i].input, cases[i].output) ||
        tarei_state_names_tell(cases[i].input, cases[i].output) != cases[i].tell) {
      fail_msg("%s and %s", cases[i].input, cases[i].output);
    }
  }
}

/* The inputs that become states, "" for none, with the chunk that is set before. */
typedef struct found_case {
  const char *what;
  tare_port inputs[3], outputs[3];
  const char *chunk, *found, *reason;
} found_case;

#define B \
  { -1, "batch" }
#define T \
  { -1, "time" }
#define N(n) \
  { n, NULL }
static const found_case FOUND[] = {
    {"a denoiser of embeddings",
     {{"embeds", TARE_F32, 3, {B, T, N(8)}}, {"mask", TARE_I64, 2, {B, T}}},
     {{"embeds_out", TARE_F32, 3, {B, T, N(8)}}},
     NULL,
     "",
     NULL},
    {"the only input",
     {{"x", TARE_F32, 2, {N(1), N(8)}}},
     {{"x_out", TARE_F32, 2, {N(1), N(8)}}},
     NULL,
     "",
     NULL},
    {"the only input, named like a state",
     {{"h", TARE_F32, 2, {N(1), N(8)}}},
     {{"hn", TARE_F32, 2, {N(1), N(8)}}},
     NULL,
     "",
     NULL},
    {"the only input beside a rate",
     {{"x", TARE_F32, 2, {N(1), N(8)}}, {"sr", TARE_I64, 0, {{0, NULL}}}},
     {{"x_out", TARE_F32, 2, {N(1), N(8)}}},
     NULL,
     "",
     NULL},
    {"a hidden layer beside its mask",
     {{"hidden_state", TARE_F32, 3, {B, T, N(8)}}, {"mask", TARE_I64, 2, {B, T}}},
     {{"last_hidden_state", TARE_F32, 3, {B, T, N(8)}}},
     NULL,
     "",
     NULL},
    {"audio and state both pair",
     {{"audio", TARE_F32, 2, {B, T}}, {"h0", TARE_F32, 3, {N(1), B, N(4)}}},
     {{"audio_out", TARE_F32, 2, {B, T}}, {"hn", TARE_F32, 3, {N(1), B, N(4)}}},
     NULL,
     "h0",
     "their names and shapes pair"},
    {"audio of fixed length and state both pair",
     {{"audio", TARE_F32, 2, {N(1), N(512)}}, {"h0", TARE_F32, 2, {N(1), N(4)}}},
     {{"audio_out", TARE_F32, 2, {N(1), N(512)}}, {"hn", TARE_F32, 2, {N(1), N(4)}}},
     NULL,
     "h0",
     "their names and shapes pair"},
    {"the batch is second everywhere",
     {{"x", TARE_F32, 3, {T, B, N(8)}}, {"h0", TARE_F32, 3, {N(1), B, N(4)}}},
     {{"y", TARE_F32, 3, {T, B, N(8)}}, {"hn", TARE_F32, 3, {N(1), B, N(4)}}},
     NULL,
     "h0",
     "their names and shapes pair"},
    {"a fixed shape beside data",
     {{"audio", TARE_F32, 2, {B, T}}, {"ctx", TARE_F32, 2, {B, N(4)}}},
     {{"y", TARE_F32, 2, {B, T}}, {"ctx_out", TARE_F32, 2, {B, N(4)}}},
     NULL,
     "ctx",
     "their names pair, and no length of the data changes their shape"},
    {"one name, and it grows",
     {{"ids", TARE_I64, 2, {B, T}}, {"k", TARE_F32, 3, {B, {-1, "past"}, N(4)}}},
     {{"y", TARE_F32, 2, {B, T}}, {"k_out", TARE_F32, 3, {B, {-1, "past + time"}, N(4)}}},
     NULL,
     "k",
     "their names pair, and the output is the input and what a run appends"},
    {"the input in chunks",
     {{"frame_cache", TARE_F32, 2, {N(1), N(8)}}, {"h0", TARE_F32, 2, {N(1), N(4)}}},
     {{"frame_cache_out", TARE_F32, 2, {N(1), N(8)}}, {"hn", TARE_F32, 2, {N(1), N(4)}}},
     "frame_cache=8",
     "h0",
     "their names and shapes pair"},
    {"types differ",
     {{"audio", TARE_F32, 2, {B, T}}, {"h0", TARE_F32, 2, {N(1), N(4)}}},
     {{"y", TARE_F32, 2, {B, T}}, {"hn", TARE_F64, 2, {N(1), N(4)}}},
     NULL,
     "",
     NULL},
};
#undef B
#undef T
#undef N

static int n_named(const tare_port *const ports) {
  int n = 0;
  while (n < 3 && ports[n].name) {
    n++;
  }
  return n;
}

static void a_state_needs_a_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FOUND / sizeof *FOUND; i++) {
    const found_case *const c = &FOUND[i];
    tare_streaming *s = NULL;
    assert_int_equal(tare_streaming_new(c->inputs, n_named(c->inputs), c->outputs,
                                        n_named(c->outputs), &s, NULL),
                     TARE_OK);
    assert_true(!c->chunk || tare_streaming_set_chunk(s, c->chunk, 0, NULL) == TARE_OK);
    const int n = tare_streaming_find_states(s);
    if (n != (*c->found != 0) ||
        (n && (strcmp(tare_streaming_state_input(s, 0), c->found) != 0 ||
               strcmp(tare_streaming_state_reason(s, 0), c->reason) != 0))) {
      fail_msg("%s: %d states, %s", c->what, n, n ? tare_streaming_state_reason(s, 0) : "none");
    }
    assert_null(tare_streaming_state_reason(s, n));
    tare_streaming_free(&s);
  }
}

static void states_are_declared_or_found(void **state) {
  (void)state;
  tare_streaming *s = make();
  tare_error err = {0};
  assert_int_equal(tare_streaming_add_state(s, "speech:state", &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "differ in type or shape"));
  assert_int_equal(tare_streaming_add_state(s, "stateN-state", &err), TARE_E_USAGE);
  assert_int_equal(tare_streaming_find_states(s), 1);
  assert_int_equal(tare_streaming_find_states(s), 0);
  assert_string_equal(tare_streaming_state_input(s, 0), "state");
  assert_string_equal(tare_streaming_state_output(s, 0), "stateN");
  assert_int_equal(tare_streaming_add_state(s, "stateN:state", &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "already"));
  assert_string_equal(tare_streaming_state_reason(s, 0), "their names and shapes pair");
  const tare_port *ports;
  assert_int_equal(tare_streaming_ports(s, &ports), 2);
  assert_string_equal(ports[1].name, "rate");
  tare_streaming_free(&s);
}

static void chunks_are_checked(void **state) {
  (void)state;
  static const tare_port fixed = {"mix", TARE_F32, 3, {{1, NULL}, {257, NULL}, {4, NULL}}};
  static const struct {
    const char *spec;
    int64_t hop;
    tare_status status;
  } cases[] = {
      {"mix=4", 0, TARE_OK},        {"mix:2=4", 2, TARE_OK},      {"mix:-1=4", 4, TARE_OK},
      {"mix:2=5", 0, TARE_E_USAGE}, {"mix:3=4", 0, TARE_E_USAGE}, {"mix:1=257", 1, TARE_OK},
      {"mix=4", 5, TARE_E_USAGE},   {"mix=0", 0, TARE_E_USAGE},   {"mix", 0, TARE_E_USAGE},
      {"other=4", 0, TARE_E_USAGE}, {"mix:=4", 0, TARE_E_USAGE},  {"mix=4x", 0, TARE_E_USAGE},
      {"mix=4", -1, TARE_E_USAGE},  {":2=4", 0, TARE_E_USAGE},    {"=4", 0, TARE_E_USAGE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_streaming *s = NULL;
    assert_int_equal(tare_streaming_new(&fixed, 1, outputs, 2, &s, NULL), TARE_OK);
    if (tare_streaming_set_chunk(s, cases[i].spec, cases[i].hop, NULL) != cases[i].status) {
      fail_msg("%s, hop %d", cases[i].spec, (int)cases[i].hop);
    }
    tare_streaming_free(&s);
  }
}

/* Chunks of 4 with hop 3 over 8 samples: 0..3, 3..6, 6..7 and two zeros. */
static void fixed_chunks_have_a_symbol_of_their_own(void **state) {
  (void)state;
  const tare_port fixed[] = {{"audio", TARE_F32, 2, {{1, NULL}, {512, NULL}}},
                             {"text", TARE_I64, 2, {{-1, "chunked_"}, {-1, "chunked"}}}};
  tare_streaming *s = NULL;
  const tare_port *ports = NULL;
  assert_int_equal(tare_streaming_new(fixed, 2, outputs, 0, &s, NULL), TARE_OK);
  assert_int_equal(tare_streaming_set_chunk(s, "audio=512", 0, NULL), TARE_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(tare_streaming_ports(s, &ports), 2);
    assert_string_equal(ports[0].dims[1].symbol, "chunked__");
    assert_string_equal(ports[1].dims[1].symbol, "chunked");
  }
  tare_streaming_free(&s);
}

static void a_sample_goes_through_in_chunks(void **state) {
  (void)state;
  tare_streaming *s = make();
  tare_profiles *profiles = NULL;
  assert_int_equal(tare_profiles_new(inputs, 3, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "samples=4", NULL), TARE_OK);
  assert_int_equal(tare_streaming_find_states(s), 1);
  assert_int_equal(tare_streaming_set_chunk(s, "samples=4", 3, NULL), TARE_OK);
  float audio[8] = {1, 2, 3, 4, 5, 6, 7, 8}, carried[6];
  int64_t rate = 16000;
  const tare_tensor data[] = {{TARE_F32, 1, {8}, audio}, {TARE_I64, 0, {0}, &rate}};
  tarei_utterance u = {0};
  assert_int_equal(tarei_utterance_init(&u, s, NULL), TARE_OK);
  for (int sample = 0; sample < 2; sample++) {
    assert_int_equal(tarei_utterance_begin(&u, profiles, data, NULL), TARE_OK);
    static const float expected[3][4] = {{1, 2, 3, 4}, {4, 5, 6, 7}, {7, 8, 0, 0}};
    const tare_tensor *t = NULL;
    for (int chunk = 0; chunk < 3; chunk++) {
      assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
      assert_non_null(t);
      assert_int_equal(t[0].dims[0], 4);
      assert_memory_equal(t[0].data, expected[chunk], sizeof expected[chunk]);
      assert_int_equal(*(int64_t *)t[2].data, rate);
      assert_int_equal(tare_tensor_count(&t[1]), 6);
      for (int i = 0; i < 6; i++) {
        assert_true(((float *)t[1].data)[i] == (chunk ? (float)chunk : 0));
        carried[i] = (float)chunk + 1;
      }
      const tare_tensor results[] = {{TARE_F32, 2, {1, 1}, audio},
                                     {TARE_F32, 3, {2, 1, 3}, carried}};
      assert_int_equal(tarei_utterance_feed(&u, results, NULL), TARE_OK);
    }
    assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
    assert_null(t);
  }
  tarei_utterance_fini(&u);
  tare_profiles_free(&profiles);
  tare_streaming_free(&s);
}

int streaming_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_tell_states),
      cmocka_unit_test(names_tell_of_states_or_only_pair),
      cmocka_unit_test(a_state_needs_a_reason),
      cmocka_unit_test(states_are_declared_or_found),
      cmocka_unit_test(chunks_are_checked),
      cmocka_unit_test(fixed_chunks_have_a_symbol_of_their_own),
      cmocka_unit_test(a_sample_goes_through_in_chunks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
