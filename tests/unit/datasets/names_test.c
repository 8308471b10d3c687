/* Names that no input has: each container says what is missing and what is there, and what seems to
 * be meant for an input that was taken for a state is not passed over. */
#include <sys/stat.h>

#include <tare/streaming.h>

#include "hdf5_helper.h"

#define FIXTURE(name) TARE_SOURCE_DIR "/tests/fixtures/names/" name

/* An array of a container: the fixture that it is a copy of, and its name there. */
typedef struct named {
  const char *fixture, *name;
} named;
enum { MOST_ARRAYS = 4 };

static void shell(const char *const format, const char *const a, const char *const b,
                  const char *const c) {
  char command[4 * PATH_CAPACITY];
  snprintf(command, sizeof command, format, a, b, c);
  assert_int_equal(system(command), 0);
}

/* --- containers: each writes arrays, and returns the path ------------------------------------- */

static const char *put_folder(const named *const arrays) {
  shell("rm -rf '%s' && mkdir '%s' %s", at("folder"), at("folder"), "");
  for (int i = 0; i < MOST_ARRAYS && arrays[i].name; i++) {
    shell("cp '" FIXTURE("%s") ".npy' '%s/%s.npy'", arrays[i].fixture, at("folder"),
          arrays[i].name);
  }
  return at("folder");
}

static const char *put_tar(const named *const arrays) {
  (void)put_folder(arrays);
  shell("cd '%s' && for f in *.npy; do mv $f 0.$f; done && rm -f '%s' && tar cf '%s' *",
        at("folder"), at("data.tar"), at("data.tar"));
  return at("data.tar");
}

static const char *fixture_rank(const char *const name, int *const rank, hsize_t *const dims,
                                bool *const real) {
  static const struct {
    const char *name;
    int rank;
    hsize_t dims[3];
    bool real;
  } shapes[] = {{"embeds", 3, {1, 6, 8}, true},
                {"mask", 2, {1, 6}, false},
                {"audio", 2, {1, 90}, true},
                {"h0", 3, {1, 1, 4}, true},
                {"ctx", 2, {1, 4}, true}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    if (strcmp(shapes[i].name, name) == 0) {
      *rank = shapes[i].rank;
      *real = shapes[i].real;
      memcpy(dims, shapes[i].dims, sizeof shapes[i].dims);
      return name;
    }
  }
  fail_msg("no fixture %s", name);
  return NULL;
}

static const char *put_groups_at(const named *const arrays, const char *const folder) {
  static const float ones[90] = {1};
  const hid_t file = make_file("data.h5");
  for (int sample = 0; sample < 2; sample++) {
    for (int i = 0; i < MOST_ARRAYS && arrays[i].name; i++) {
      int rank;
      hsize_t dims[3];
      bool real;
      char path[PATH_CAPACITY];
      (void)fixture_rank(arrays[i].fixture, &rank, dims, &real);
      snprintf(path, sizeof path, "%s%d/%s", folder, sample, arrays[i].name);
      put(file, path, real ? H5T_IEEE_F32LE : H5T_STD_I64LE, H5T_NATIVE_FLOAT, rank, dims, ones);
    }
  }
  H5Fclose(file);
  return at("data.h5");
}

static const char *put_groups(const named *const arrays) {
  return put_groups_at(arrays, "");
}

static const char *put_deep_groups(const named *const arrays) {
  return put_groups_at(arrays, "samples/");
}

static const struct {
  const char *name;
  const char *(*put)(const named *arrays);

} CONTAINERS[] = {{"folder", put_folder},
                  {"tar", put_tar},
                  {"groups", put_groups},
                  {"groups below a group", put_deep_groups}};
enum { N_CONTAINERS = sizeof CONTAINERS / sizeof *CONTAINERS };

/* Reads the first sample. */
static tare_status read_first(const char *const path, const tare_dataset_options *const options,
                              tare_error *const err) {
  tare_dataset *data = NULL;
  const tare_sample *sample = NULL;
  tare_status status = tare_dataset_open(&path, 1, options, &data, err);
  if (status == TARE_OK) {
    status = tare_dataset_next(data, &sample, err);
  }
  tare_dataset_close(&data);
  return status;
}

static void expect(const char *const container, const char *const path,
                   const tare_dataset_options *const options, const char *const part) {
  tare_error err = {0};
  const tare_status status = read_first(path, options, &err);
  const tare_status wanted = !part                          ? TARE_OK
                             : strstr(part, "of this name") ? TARE_E_USAGE
                                                            : TARE_E_INPUT;
  if (status != wanted || (part && !strstr(err.message, part))) {
    fail_msg("%s: status %s, '%s' instead of '%s'", container, tare_status_name(status),
             err.message, part ? part : "no error");
  }
}

/* --- inputs without data ---------------------------------------------------------------------- */

static const tare_port DENOISER[] = {
    {"embeds", TARE_F32, 3, {{-1, "b"}, {-1, "n"}, {8, NULL}}},
    {"mask", TARE_I64, 2, {{-1, "b"}, {-1, "n"}}},
};

static void both_lists_are_shown(void **state) {
  (void)state;
  static const struct {
    named arrays[MOST_ARRAYS];
    const char *part;
  } cases[] = {
      {{{"embeds", "embeds"}, {"mask", "mask"}}, NULL},
      {{{"embeds", "embeds"}, {"mask", "mask"}, {"audio", "label"}}, NULL},
      {{{"embeds", "embed"}, {"mask", "mask"}},
       "no data for input 'embeds'; arrays that no input takes: 'embed'; 'embed' is near 'embeds' "
       "(--map embeds=embed)"},
      {{{"embeds", "EMBEDS"}, {"mask", "mask"}}, "'EMBEDS' is near 'embeds'"},
      {{{"embeds", "embeds"}, {"mask", "masks"}}, "'masks' is near 'mask'"},
      {{{"embeds", "embeds_"}, {"mask", "msk"}},
       "no data for inputs 'embeds', 'mask'; arrays that no input takes: 'embeds_', 'msk'; "
       "'embeds_' is near 'embeds', 'msk' is near 'mask' (--map embeds=embeds_ --map mask=msk)"},
      {{{"embeds", "features"}, {"mask", "mask"}},
       "no data for input 'embeds'; arrays that no input takes: 'features' (--map embeds=NAME "
       "reads it from another name)"},
      {{{"embeds", "a"}, {"mask", "mask"}, {"audio", "b"}, {"h0", "c"}},
       "arrays that no input takes: 'a', 'b', 'c' (--map embeds=NAME"},
  };
  const tare_dataset_options options = options_for(DENOISER, 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int c = 0; c < N_CONTAINERS; c++) {
      expect(CONTAINERS[c].name, CONTAINERS[c].put(cases[i].arrays), &options, cases[i].part);
    }
  }
}

static void other_layouts_have_names_too(void **state) {
  (void)state;
  static const float flat[] = {1, 2, 3, 4, 5, 6};
  const int64_t offsets[] = {0, 2, 3, 6};
  const tare_port ports[] = {port("tokens", TARE_F32, 2), port("mask", TARE_F32, 2)};
  const tare_dataset_options options = options_for(ports, 2);
  const char *const part = "no data for input 'tokens'; arrays that no input takes: 'token'; ";
  hid_t f = make_file("padded.h5");
  put_matrix(f, "token", 3, 2, flat);
  put_matrix(f, "mask", 3, 2, flat);
  H5Fclose(f);
  expect("padded", at("padded.h5"), &options, part);
  f = make_file("ragged.h5");
  put_floats(f, "token_values", 6, flat);
  put_ints(f, "token_offsets", 4, offsets);
  put_floats(f, "mask/values", 6, flat);
  put_ints(f, "mask/offsets", 4, offsets);
  H5Fclose(f);
  expect("ragged", at("ragged.h5"), &options, part);
  const hvl_t rows[] = {{2, (void *)flat}, {1, (void *)flat}, {3, (void *)flat}};
  f = make_file("vlen.h5");
  put_vlen(f, "token", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  put_vlen(f, "mask", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  H5Fclose(f);
  expect("vlen", at("vlen.h5"), &options, part);
}

/* --- states ----------------------------------------------------------------------------------- */

static const tare_port ENHANCER[] = {
    {"audio", TARE_F32, 2, {{-1, "b"}, {-1, "n"}}},
    {"h0", TARE_F32, 3, {{1, NULL}, {-1, "b"}, {4, NULL}}},
};
static const tare_port ENHANCED[] = {
    {"y", TARE_F32, 2, {{-1, "b"}, {-1, "n"}}},
    {"hn", TARE_F32, 3, {{1, NULL}, {-1, "b"}, {4, NULL}}},
};
static const tare_port CONTEXT[] = {
    {"audio", TARE_F32, 2, {{-1, "b"}, {-1, "n"}}},
    {"ctx", TARE_F32, 2, {{1, NULL}, {4, NULL}}},
};
static const tare_port CONTEXT_OUT[] = {
    {"y", TARE_F32, 2, {{-1, "b"}, {-1, "n"}}},
    {"ctx_out", TARE_F32, 2, {{1, NULL}, {4, NULL}}},
};

typedef struct state_case {
  named arrays[MOST_ARRAYS];
  const char *chunk, *declared, *part;
} state_case;

static void try_states(const tare_port *const inputs, const tare_port *const outputs,
                       const state_case *const cases, const size_t n_cases) {
  for (size_t i = 0; i < n_cases; i++) {
    const state_case *const c = &cases[i];
    tare_streaming *s = NULL;
    assert_int_equal(tare_streaming_new(inputs, 2, outputs, 2, &s, NULL), TARE_OK);
    assert_true(!c->chunk || tare_streaming_set_chunk(s, c->chunk, 0, NULL) == TARE_OK);
    if (c->declared) {
      assert_int_equal(tare_streaming_add_state(s, c->declared, NULL), TARE_OK);
    } else {
      assert_int_equal(tare_streaming_find_states(s), 1);
    }
    const tare_port *ports = NULL;
    const int n = tare_streaming_ports(s, &ports);
    tare_dataset_options options = options_for(ports, n);
    options.streaming = s;
    for (int k = 0; k < N_CONTAINERS; k++) {
      expect(CONTAINERS[k].name, CONTAINERS[k].put(c->arrays), &options, c->part);
    }
    tare_streaming_free(&s);
  }
}

static void a_state_is_not_what_data_have(void **state) {
  (void)state;
  static const state_case cases[] = {
      {{{"audio", "audio"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"mask", "label"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"h0", "target"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"h0", "hn"}}, NULL, NULL, NULL}, /* a recorded output */
      {{{"audio", "audio"}, {"h0", "other"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"h0", "h_0"}},
       NULL,
       NULL,
       "no data for input 'h0', and array 'h_0', which no input takes, is near 'h0' (--map h0=h_0 "
       "reads it, --state hn:h0 takes the input for a state)"},
      {{{"audio", "audio"}, {"h0", "H0"}}, NULL, NULL, "'H0', which no input takes, is near 'h0'"},
      {{{"audio", "audio"}, {"h0", "h0"}},
       NULL,
       NULL,
       "'h0' was taken for a state, but the data have an array of this name"},
      {{{"audio", "audio"}, {"h0", "hidden"}},
       NULL,
       NULL,
       "'hidden', which no input takes, fits 'h0'"},
      {{{"audio", "audio"}, {"h0", "h_0"}}, "n=30", NULL, "is near 'h0'"},
      {{{"audio", "audio"}, {"h0", "h0"}}, "n=30", NULL, NULL},
      {{{"audio", "audio"}, {"h0", "h_0"}}, NULL, "hn:h0", NULL},
      {{{"audio", "audi"}, {"h0", "h_0"}}, NULL, NULL, "'h_0'"},
  };
  try_states(ENHANCER, ENHANCED, cases, sizeof cases / sizeof *cases);
}

static void a_weak_state_gives_way_to_what_fits(void **state) {
  (void)state;
  static const state_case cases[] = {
      {{{"audio", "audio"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"mask", "speaker"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"ctx", "labels"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"ctx", "ctx_out"}}, NULL, NULL, NULL},
      {{{"audio", "audio"}, {"ctx", "memory"}},
       NULL,
       NULL,
       "'memory', which no input takes, fits 'ctx'"},
      {{{"audio", "audio"}, {"ctx", "memory"}}, "n=30", NULL, NULL},
      {{{"audio", "audio"}, {"ctx", "memory"}}, NULL, "ctx_out:ctx", NULL},
  };
  try_states(CONTEXT, CONTEXT_OUT, cases, sizeof cases / sizeof *cases);
}

/* A path is looked at before options are. */
static void a_missing_file_is_a_missing_file(void **state) {
  (void)state;
  const tare_mapping mapping = {.input = "nothing", .path = "x"};
  tare_dataset_options options = options_for(NULL, 0);
  refuse_open(at("none.h5"), &options, TARE_E_INPUT, "cannot open: No such file");
  options = options_for(DENOISER, 2);
  options.mappings = &mapping;
  options.n_mappings = 1;
  refuse_open(at("none.h5"), &options, TARE_E_INPUT, "cannot open: No such file");
}

int names_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_lists_are_shown),
      cmocka_unit_test(other_layouts_have_names_too),
      cmocka_unit_test(a_state_is_not_what_data_have),
      cmocka_unit_test(a_weak_state_gives_way_to_what_fits),
      cmocka_unit_test(a_missing_file_is_a_missing_file),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
