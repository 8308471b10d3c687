#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shapes/profiles.h"

static const tare_port audio[] = {{"audio", TARE_F32, 2, {{-1, "batch"}, {-1, "samples"}}}};

static const tare_port text[] = {{"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "len"}}},
                                 {"mask:0", TARE_I64, 2, {{-1, "batch"}, {-1, "len"}}},
                                 {"style", TARE_F32, 2, {{1, NULL}, {16, NULL}}},
                                 {"speed", TARE_F32, 0, {{0, NULL}}}};

static tare_profiles *make(const tare_port *const ports, const int n) {
  tare_profiles *set;
  tare_error err = {0};
  if (tare_profiles_new(ports, n, &set, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return set;
}

static void assert_spec(const tare_profiles *const set, const int profile, const char *const spec) {
  tarei_str s = {0};
  tarei_profiles_print(set, profile, &s);
  assert_string_equal(tarei_str_get(&s), spec);
  tarei_str_free(&s);
}

/* Whether two sets have the same symbols and ranges. */
static bool prints_alike(const tare_profiles *const a, const tare_profiles *const b) {
  tarei_str texts[2] = {{0}};
  for (int p = 0; p < tare_profiles_count(a) || p < tare_profiles_count(b); p++) {
    for (int i = 0; i < 2; i++) {
      const tare_profiles *const set = i ? b : a;
      if (p < tare_profiles_count(set)) {
        tarei_profiles_print(set, p, &texts[i]);
        tarei_str_add(&texts[i], "\n");
      }
    }
  }
  const bool alike = strcmp(tarei_str_get(&texts[0]), tarei_str_get(&texts[1])) == 0;
  tarei_str_free(&texts[0]);
  tarei_str_free(&texts[1]);
  return alike;
}

static void assert_message(const tare_error *const err, const char *const part) {
  if (!strstr(err->message, part)) {
    fail_msg("expected \"%s\" in: %s", part, err->message);
  }
}

static void symbols_come_in_order_of_appearance(void **state) {
  (void)state;
  tare_profiles *set = make(text, 4);
  assert_int_equal(tare_profiles_n_symbols(set), 2);
  assert_string_equal(tare_profiles_symbol(set, 0), "batch");
  assert_string_equal(tare_profiles_symbol(set, 1), "len");
  assert_null(tare_profiles_symbol(set, 2));
  assert_null(tare_profiles_symbol(set, -1));
  assert_int_equal(tare_profiles_count(set), 0);
  tare_profiles_free(&set);
  assert_null(set);
  tare_profiles_free(&set);
}

static void expect_largest(const tare_profiles *const set, tarei_exprs *const exprs,
                           const tarei_expr e, const int64_t expected) {
  int64_t largest;
  const bool known = tarei_profiles_largest(set, exprs, e, &largest);
  assert_int_equal(known, expected >= 0);
  assert_true(!known || largest == expected);
}

/* Over all profiles; unknown where it overflows, or a symbol has no range. */
static void expressions_have_a_largest_value(void **state) {
  (void)state;
  tare_error err = {0};
  tare_profiles *set = make(audio, 1);
  tarei_exprs *const exprs = tarei_exprs_new();
  static const struct {
    const char *text;
    int64_t largest;
  } cases[] = {{"7", 7},
               {"samples", 500},
               {"(samples + 159) / 160", 4},
               {"1000 - samples", 990},
               {"batch * samples", 2 * 500},
               {"samples * 9223372036854775807", -1},
               {"other", -1},
               {"other + samples", -1}};
  expect_largest(set, exprs, tarei_expr_const(exprs, 7), -1); /* no profiles yet */
  assert_int_equal(tare_profiles_add(set, "batch=1:1:2,samples=10:20:500", &err), TARE_OK);
  assert_int_equal(tare_profiles_add(set, "batch=1:1:1,samples=20:30:40", &err), TARE_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_expr e;
    assert_int_equal(tarei_expr_parse(exprs, cases[i].text, &e, NULL), TARE_OK);
    expect_largest(set, exprs, e, cases[i].largest);
  }
  const int32_t owner = tarei_exprs_new_owner(exprs);
  expect_largest(set, exprs, tarei_exprs_measured(exprs, owner, "samples", 0), -1);
  expect_largest(set, exprs, TAREI_EXPR_NONE, -1);
  assert_int_equal(tarei_profiles_find_symbol(set, "samples"), 1);
  assert_int_equal(tarei_profiles_find_symbol(set, "other"), -1);
  tarei_exprs_free(exprs);
  tare_profiles_free(&set);
}

enum { MANY = TARE_MAX_SYMBOLS + 1, OF_PORT = 8, PORTS = MANY / OF_PORT + 1 };

static void make_ports_of_many(tare_port *const ports, char (*const names)[8]) {
  for (int i = 0; i < MANY; i++) {
    (void)snprintf(names[i], sizeof names[i], "s%d", i);
    ports[i / OF_PORT].name = names[i];
    ports[i / OF_PORT].dtype = TARE_F32;
    ports[i / OF_PORT].dims[i % OF_PORT] = (tare_dim){.value = -1, .symbol = names[i]};
    ports[i / OF_PORT].rank = i % OF_PORT + 1;
  }
}

static void many_symbols_have_ranges(void **state) {
  (void)state;
  static tare_port ports[PORTS];
  static char names[MANY][8];
  make_ports_of_many(ports, names);
  tare_profiles *set = make(ports, PORTS - 1), *copy = NULL;
  assert_int_equal(tare_profiles_n_symbols(set), TARE_MAX_SYMBOLS);
  assert_int_equal(tare_profiles_add(set, "s1023=2:3:4,s500=7", NULL), TARE_OK);
  assert_int_equal(tarei_profiles_clone(set, &copy, NULL), TARE_OK);
  tare_profiles_free(&set);
  assert_int_equal(tare_profiles_range(copy, 0, 1023).opt, 3);
  assert_int_equal(tare_profiles_range(copy, 0, 500).max, 7);
  assert_int_equal(tare_profiles_range(copy, 0, 0).max, 1);
  tare_profiles_free(&copy);
}

static void too_many_symbols_are_refused(void **state) {
  (void)state;
  static tare_port ports[PORTS];
  static char names[MANY][8];
  tare_profiles *set = NULL;
  tare_error err = {0};
  make_ports_of_many(ports, names);
  assert_int_equal(tare_profiles_new(ports, PORTS, &set, &err), TARE_E_LIMIT);
  assert_null(set);
  assert_message(&err, "more than 1024 symbols: 's1024' is one too many");
}

static void specs_are_read(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"samples=1600:16000:80000", "batch=1:1:1,samples=1600:16000:80000"},
      {" samples = 1 : 2 : 3 , batch=4", "batch=4:4:4,samples=1:2:3"},
      {"'samples'=0:0:0", "batch=1:1:1,samples=0:0:0"},
      {"", "batch=1:1:1,samples=1:1:1"},
      {"samples=9223372036854775807",
       "batch=1:1:1,samples=9223372036854775807:9223372036854775807:9223372036854775807"},
  };
  tare_profiles *set = make(audio, 1);
  for (int i = 0; i < 5; i++) {
    tare_error err = {0};
    if (tare_profiles_add(set, rows[i][0], &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    assert_spec(set, i, rows[i][1]);
  }
  assert_int_equal(tare_profiles_range(set, 0, 1).opt, 16000);
  tare_profiles_free(&set);
}

static void wrong_specs_are_named(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"length=1:2:3", "unknown symbol 'length', expected one of batch, samples"},
      {"samples=3:2:1", "samples=3:2:1 is out of order: expected min <= opt <= max"},
      {"samples=1:5:4", "out of order"},
      {"samples=1:2", "'1:2' is not a range: expected MIN:OPT:MAX or one number"},
      {"samples=1:2:3:4", "'1:2:3:4' is not a range"},
      {"samples=-1:2:3", "'-1:2:3' is not a range"},
      {"samples=", "'' is not a range"},
      {"samples=1:x:3", "'1:x:3' is not a range"},
      {"samples=1::3", "'1::3' is not a range"},
      {"samples=9223372036854775808", "is not a range"},
      {"samples", "expected SYMBOL=MIN:OPT:MAX, got 'samples'"},
      {"samples=1,", "expected SYMBOL=MIN:OPT:MAX, got ''"},
      {"batch,samples=1", "expected SYMBOL=MIN:OPT:MAX, got 'batch'"},
      {"samples=1,samples=2", "duplicate symbol 'samples'"},
      {"'samples=1", "unterminated single quote"},
      {"samples=1,'batch=1", "unterminated single quote"},
  };
  tare_profiles *set = make(audio, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tare_error err = {0};
    assert_int_equal(tare_profiles_add(set, rows[i][0], &err), TARE_E_USAGE);
    assert_message(&err, rows[i][1]);
    assert_int_equal(strncmp(err.message, "profile \"", 9), 0);
  }
  assert_int_equal(tare_profiles_count(set), 0);
  tare_profiles_free(&set);
  set = make(&text[2], 1);
  tare_error err = {0};
  assert_int_equal(tare_profiles_add(set, "a=1", &err), TARE_E_USAGE);
  assert_message(&err, "unknown symbol 'a': all dims of the inputs are fixed");
  assert_int_equal(tare_profiles_add(set, "", &err), TARE_OK);
  assert_spec(set, 0, "");
  tare_profiles_free(&set);
}

static void a_set_is_limited(void **state) {
  (void)state;
  tare_profiles *set = make(audio, 1);
  for (int i = 0; i < TARE_MAX_PROFILES; i++) {
    assert_int_equal(tare_profiles_add(set, "samples=5", NULL), TARE_OK);
  }
  tare_error err = {0};
  assert_int_equal(tare_profiles_add(set, "samples=5", &err), TARE_E_LIMIT);
  assert_message(&err, "more than 64 profiles");
  tare_profiles_free(&set);
}

static void specs_tell_ranges_without_inputs(void **const state) {
  (void)state;
  static const char *const spec = "batch=1:2:4, 'n + 1' = 3:5:9,minibatch=8,'it''s, =x'=7:7:8";
  static const struct {
    const char *symbol;
    tare_range range;
  } cases[] = {{"batch", {1, 2, 4}},
               {"n + 1", {3, 5, 9}},
               {"minibatch", {8, 8, 8}},
               {"it's, =x", {7, 7, 8}}};
  tare_range range;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(tarei_profile_spec_range(spec, cases[i].symbol, &range));
    assert_int_equal(range.min, cases[i].range.min);
    assert_int_equal(range.opt, cases[i].range.opt);
    assert_int_equal(range.max, cases[i].range.max);
  }
  static const char *const wrong[] = {"", "fixed", "batch", "batch=", "batch=1:2", "'batch=1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(tarei_profile_spec_range(wrong[i], "batch", &range));
  }
  assert_false(tarei_profile_spec_range(spec, "n", &range));
}

static void odd_symbol_names_print_and_read_back(void **state) {
  (void)state;
  static const char *const names[] = {"a,b", "it's", "x=y", "", "#1", "two words", "a:b", "''"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const tare_port port = {"in", TARE_F32, 2, {{-1, names[i]}, {-1, "z"}}};
    tare_profiles *set = make(&port, 1), *again = make(&port, 1);
    assert_int_equal(tare_profiles_add_shapes(set, "in:1x2", "in:3x4", "in:5x6", NULL), TARE_OK);
    tarei_str s = {0};
    tarei_profiles_print(set, 0, &s);
    tare_error err = {0};
    if (tare_profiles_add(again, tarei_str_get(&s), &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    assert_true(prints_alike(set, again));
    tarei_str_free(&s);
    tare_profiles_free(&set);
    tare_profiles_free(&again);
  }
}

static void shapes_are_read(void **state) {
  (void)state;
  static const char *const all = "batch=1:1:1,len=8:8:8";
  static const char *const rows[][4] = {
      {"ids:1x4", "ids:1x8", "ids:2x16", "batch=1:1:2,len=4:8:16"},
      {NULL, "ids:1x8,mask:0:1x8", NULL, all},
      {NULL, "'ids':1x8, 'mask:0':1x8 ,style:1x16", NULL, all},
      {NULL, "speed:scalar,ids:1x8", NULL, all},
      {NULL, "speed:,ids:1x8", NULL, all},
      {NULL, "mask*:1x8", NULL, all},
      {NULL, "*0:1x8", NULL, all},
      {NULL, "*:scalar,ids:1x8,mask:0:1x8,style:1x16", NULL, all},
      {"ids:1x8", "mask:0:1x8", NULL, all},
      {NULL, "ids:1x8", "ids:1x9", "batch=1:1:1,len=8:8:9"},
      {NULL, "style:1x16", NULL, "batch=1:1:1,len=1:1:1"},
      {NULL, "", NULL, "batch=1:1:1,len=1:1:1"},
  };
  tare_profiles *set = make(text, 4);
  for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
    tare_error err = {0};
    if (tare_profiles_add_shapes(set, rows[i][0], rows[i][1], rows[i][2], &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    assert_spec(set, i, rows[i][3]);
  }
  tare_profiles_free(&set);
}

static void wrong_shapes_are_named(void **state) {
  (void)state;
  static const char *const rows[][3] = {
      {NULL, "id:1x8", "unknown input 'id', the inputs are ids, mask:0, style, speed"},
      {NULL, "i*q:1x8", "unknown input 'i*q'"},
      {NULL, "*d*:1x8", "'*d*' has more than one '*'"},
      {NULL, "ids:8", "input 'ids' has rank 2 in the model, got 1"},
      {NULL, "ids:scalar", "input 'ids' has rank 2 in the model, got 0"},
      {NULL, "style:1x17", "axis 1 of input 'style' is fixed at 16, got 17"},
      {NULL, "ids:1x8,mask:0:1x9", "len is 8 by input 'ids' but 9 by input 'mask:0'"},
      {NULL, "ids:1x", "'1x' is not a shape: expected up to 8 sizes like 1x1600, or scalar"},
      {NULL, "ids:1x-1", "'1x-1' is not a shape"},
      {NULL, "ids:1x1x1x1x1x1x1x1x1", "is not a shape"},
      {NULL, "ids:1x99999999999999999999", "is not a shape"},
      {NULL, "ids", "expected INPUT:SHAPE such as audio:1x1600, got 'ids'"},
      {NULL, "ids:1x8,", "expected INPUT:SHAPE such as audio:1x1600, got ''"},
      {NULL, "'ids:1x8", "unterminated single quote"},
      {NULL, "ids:1x8,ids:1x8", "duplicate input 'ids'"},
      {NULL, "i*:1x8,*s:1x8", "duplicate input 'ids'"},
      {"ids:1x9", "ids:1x8", "len=9:8:8 is out of order"},
      {"style:1x16", "ids:1x8", "is in the max shapes but not in min"},
  };
  tare_profiles *set = make(text, 4);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tare_error err = {0};
    assert_int_equal(tare_profiles_add_shapes(set, rows[i][0], rows[i][1], NULL, &err),
                     TARE_E_USAGE);
    assert_message(&err, rows[i][2]);
  }
  tare_error err = {0};
  assert_int_equal(tare_profiles_add_shapes(set, "ids:1x8", NULL, NULL, &err), TARE_E_USAGE);
  assert_message(&err, "without opt");
  assert_int_equal(tare_profiles_count(set), 0);
  tare_profiles_free(&set);
}

/* Writes bytes into a temporary file whose name replaces the Xs of path. */
static void write_file(char *const path, const void *const bytes, const size_t n) {
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, n), n);
  close(fd);
}

static void files_are_read(void **state) {
  (void)state;
  static const char lines[] =
      "# short and long\n\nsamples=1600:16000:80000 # talk\r\n  \n"
      "samples=80001:120000:240000,batch=1:1:2";
  char path[] = "/tmp/tare-profiles-XXXXXX";
  write_file(path, lines, sizeof lines - 1);
  tare_profiles *set = make(audio, 1);
  tare_error err = {0};
  if (tare_profiles_add_file(set, path, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(tare_profiles_count(set), 2);
  assert_spec(set, 1, "batch=1:1:2,samples=80001:120000:240000");
  unlink(path);
  tare_profiles_free(&set);
}

static void wrong_files_add_nothing(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t n;
    const char *message;
  } rows[] = {
      {"samples=1\nsamples=2:1:3\n", 24, ":2: profile \"samples=2:1:3\": samples=2:1:3 is out"},
      {"samples=1\n'x", 12, ":2: unterminated single quote"},
      {"samples=1\n\0", 11, "not a text file: it holds a NUL byte"},
      {"# nothing\n", 10, "no profiles in this file"},
      {"", 0, "no profiles in this file"},
  };
  tare_profiles *set = make(audio, 1);
  assert_int_equal(tare_profiles_add(set, "samples=7", NULL), TARE_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char path[] = "/tmp/tare-profiles-XXXXXX";
    write_file(path, rows[i].bytes, rows[i].n);
    tare_error err = {0};
    assert_int_equal(tare_profiles_add_file(set, path, &err), TARE_E_INPUT);
    assert_message(&err, rows[i].message);
    assert_message(&err, path);
    assert_int_equal(tare_profiles_count(set), 1);
    unlink(path);
  }
  tare_error err = {0};
  assert_int_equal(tare_profiles_add_file(set, "/nonexistent/profiles", &err), TARE_E_INPUT);
  char path[] = "/tmp/tare-profiles-XXXXXX", many[64 * 10];
  for (int i = 0; i < 64; i++) {
    memcpy(many + i * 10, "samples=1\n", 10);
  }
  write_file(path, many, sizeof many);
  assert_int_equal(tare_profiles_add_file(set, path, &err), TARE_E_LIMIT);
  assert_message(&err, ":64: ");
  assert_int_equal(tare_profiles_count(set), 1);
  unlink(path);
  tare_profiles_free(&set);
}

static void values_find_their_profile(void **state) {
  (void)state;
  tare_profiles *set = make(audio, 1);
  assert_int_equal(tare_profiles_nearest(set, (int64_t[]){1, 5}), -1);
  assert_int_equal(tare_profiles_add(set, "samples=100:200:400", NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(set, "samples=300:600:1000,batch=1:1:4", NULL), TARE_OK);
  static const struct {
    int64_t values[2];
    int found, nearest;
  } rows[] = {
      {{1, 100}, 0, 0}, {{1, 400}, 0, 0},   {{1, 401}, 1, 1},  {{2, 350}, 1, 1},
      {{1, 99}, -1, 0}, {{1, 1001}, -1, 1}, {{2, 250}, -1, 1}, {{0, 0}, -1, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(tare_profiles_find(set, rows[i].values), rows[i].found);
    assert_int_equal(tare_profiles_nearest(set, rows[i].values), rows[i].nearest);
  }
  tare_profiles_free(&set);
}

static void explanations_name_values_and_bounds(void **state) {
  (void)state;
  tare_profiles *set = make(audio, 1);
  tare_error err = {0};
  assert_int_equal(tare_profiles_explain(set, (int64_t[]){1, 5}, "a.wav", &err), TARE_E_SHAPE);
  assert_string_equal(err.message, "a.wav: there are no profiles");
  assert_int_equal(tare_profiles_add(set, "samples=1600:16000:80000", NULL), TARE_OK);
  tare_profiles_explain(set, (int64_t[]){1, 90000}, NULL, &err);
  assert_string_equal(err.message,
                      "samples=90000 is outside every profile: profile 0 takes 1600..80000");
  assert_int_equal(tare_profiles_add(set, "samples=1:1:1,batch=2", NULL), TARE_OK);
  tare_profiles_explain(set, (int64_t[]){2, 7}, "a.wav", &err);
  assert_string_equal(
      err.message,
      "a.wav: batch=2, samples=7 do not fit any one profile together: profile 0 takes batch 1..1, "
      "samples 1600..80000; profile 1 takes batch 2..2, samples 1..1");
  tare_profiles_free(&set);
}

static tare_tensor tensor_of(const int rank, const int64_t a, const int64_t b) {
  return (tare_tensor){.dtype = TARE_F32, .rank = rank, .dims = {a, b}};
}

static void tensors_bind_symbols(void **state) {
  (void)state;
  tare_profiles *set = make(text, 4);
  int64_t values[2];
  const tare_tensor full[] = {tensor_of(2, 3, 8), tensor_of(2, 3, 8), tensor_of(2, 1, 16),
                              tensor_of(0, 0, 0)};
  assert_int_equal(tare_profiles_bind(set, full, values, NULL), TARE_OK);
  assert_int_equal(values[0], 3);
  assert_int_equal(values[1], 8);
  const tare_tensor sample[] = {tensor_of(1, 8, 0), tensor_of(1, 8, 0), tensor_of(1, 16, 0),
                                tensor_of(0, 0, 0)};
  assert_int_equal(tare_profiles_bind(set, sample, values, NULL), TARE_OK);
  assert_int_equal(values[0], 1);
  assert_int_equal(values[1], 8);
  tare_profiles_free(&set);
}

static void wrong_tensors_are_named(void **state) {
  (void)state;
  static const struct {
    int input;
    tare_tensor tensor;
    const char *message;
  } rows[] = {
      {0,
       {.rank = 3, .dims = {1, 1, 8}},
       "input 'ids' has rank 3, expected 2 (batch x len), or one less"},
      {3, {.rank = 1, .dims = {1}}, "input 'speed' has rank 1, expected 0 (scalar)"},
      {2, {.rank = 2, .dims = {1, 15}}, "axis 1 of input 'style' is 15, expected 16"},
      {2, {.rank = 2, .dims = {2, 16}}, "axis 0 of input 'style' is 2, expected 1"},
      {1,
       {.rank = 2, .dims = {1, 9}},
       "len is 8 by axis 1 of input 'ids' but 9 by axis 1 of input 'mask:0'"},
      {1,
       {.rank = 2, .dims = {2, 8}},
       "batch is 1 by axis 0 of input 'ids' but 2 by axis 0 of input 'mask:0'"},
      {0, {.rank = 2, .dims = {1, -8}}, "axis 1 of input 'ids' has negative size -8"},
  };
  tare_profiles *set = make(text, 4);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tare_tensor tensors[] = {tensor_of(1, 8, 0), tensor_of(1, 8, 0), tensor_of(1, 16, 0),
                             tensor_of(0, 0, 0)};
    tensors[rows[i].input] = rows[i].tensor;
    int64_t values[2];
    tare_error err = {0};
    assert_int_equal(tare_profiles_bind(set, tensors, values, &err), TARE_E_SHAPE);
    assert_message(&err, rows[i].message);
  }
  tare_profiles_free(&set);
  const tare_port fixed = {"pair", TARE_F32, 2, {{2, NULL}, {-1, "len"}}};
  set = make(&fixed, 1);
  const tare_tensor single = tensor_of(1, 8, 0);
  int64_t value;
  tare_error err = {0};
  assert_int_equal(tare_profiles_bind(set, &single, &value, &err), TARE_E_SHAPE);
  assert_message(&err, "axis 0 of input 'pair' is 1, expected 2");
  tare_profiles_free(&set);
}

static void clones_are_equal_until_they_change(void **state) {
  (void)state;
  tare_profiles *set = make(audio, 1), *copy;
  assert_int_equal(tare_profiles_add(set, "samples=1:2:3", NULL), TARE_OK);
  assert_int_equal(tarei_profiles_clone(set, &copy, NULL), TARE_OK);
  assert_true(prints_alike(set, copy));
  assert_int_equal(tare_profiles_add(copy, "samples=5", NULL), TARE_OK);
  assert_false(prints_alike(set, copy));
  assert_int_equal(tare_profiles_add(set, "samples=6", NULL), TARE_OK);
  assert_false(prints_alike(set, copy));
  tare_profiles_free(&set);
  assert_spec(copy, 0, "batch=1:1:1,samples=1:2:3");
  set = make(text, 4);
  assert_false(prints_alike(set, copy));
  tare_profiles_free(&set);
  tare_profiles_free(&copy);
}

int profiles_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symbols_come_in_order_of_appearance),
      cmocka_unit_test(expressions_have_a_largest_value),
      cmocka_unit_test(many_symbols_have_ranges),
      cmocka_unit_test(too_many_symbols_are_refused),
      cmocka_unit_test(specs_are_read),
      cmocka_unit_test(wrong_specs_are_named),
      cmocka_unit_test(a_set_is_limited),
      cmocka_unit_test(specs_tell_ranges_without_inputs),
      cmocka_unit_test(odd_symbol_names_print_and_read_back),
      cmocka_unit_test(shapes_are_read),
      cmocka_unit_test(wrong_shapes_are_named),
      cmocka_unit_test(files_are_read),
      cmocka_unit_test(wrong_files_add_nothing),
      cmocka_unit_test(values_find_their_profile),
      cmocka_unit_test(explanations_name_values_and_bounds),
      cmocka_unit_test(tensors_bind_symbols),
      cmocka_unit_test(wrong_tensors_are_named),
      cmocka_unit_test(clones_are_equal_until_they_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
