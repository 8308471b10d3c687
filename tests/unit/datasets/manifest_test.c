/* Folders, manifests and lists: what they expand to, and how they can be wrong. */
#include <sys/stat.h>

#include "audio_helper.h"

static const float SOUND[] = {0.5f, 0.25f, 0, -0.25f};
static tare_port audio;
static tare_dataset_options options;

static int set_up(void **state) {
  audio = port("audio", TARE_F32, 2);
  options = options_for(&audio, 1);
  if (make_scratch(state) != 0 || mkdir(at("in"), 0700) != 0 || mkdir(at("in/sub"), 0700) != 0) {
    return -1;
  }
  put_wav("in/b.wav", 2, SOUND);
  put_wav("in/a.WAV", 1, SOUND);
  put_wav("in/B.flac.wav", 3, SOUND);
  put_wav("in/sub/c, d.wav", 4, SOUND);
  put_wav("in/.hidden.wav", 4, SOUND);
  put_text("in/readme.md", "not data");
  return 0;
}

/* The data must be samples of these lengths, with these labels when there are any. */
static void expect(const char *const path, const int n, const int64_t *const lengths,
                   const char *const *const labels) {
  tare_dataset *data = open_data(at(path), &options);
  assert_int_equal(tare_dataset_count(data), n);
  for (int i = 0; i < n; i++) {
    const tare_sample *const sample = next_sample(data);
    assert_int_equal(sample->index, i);
    assert_int_equal(sample->tensors[0].dims[0], lengths[i]);
    if (labels) {
      assert_string_equal(sample->label_text, labels[i]);
    } else {
      assert_null(sample->label_text);
    }
  }
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static void folder_is_sorted_by_name(void **state) {
  (void)state;
  /* B.flac.wav, a.WAV, b.wav, sub/c, d.wav */
  expect("in", 4, (const int64_t[]){3, 1, 2, 4}, NULL);
  expect("in/", 4, (const int64_t[]){3, 1, 2, 4}, NULL);
}

/* A link might lead back; it is not followed, and folders that hold nothing do not matter. */
static void folders_are_searched_in_depth(void **state) {
  (void)state;
  assert_int_equal(mkdir(at("deep"), 0700), 0);
  assert_int_equal(mkdir(at("deep/a"), 0700), 0);
  assert_int_equal(mkdir(at("deep/a/b"), 0700), 0);
  assert_int_equal(mkdir(at("deep/nothing"), 0700), 0);
  put_wav("deep/a/b/1.wav", 1, SOUND);
  put_wav("deep/a/2.wav", 2, SOUND);
  assert_int_equal(symlink("..", at("deep/a/up")), 0);
  expect("deep", 2, (const int64_t[]){2, 1}, NULL);
}

static void labels_of_numbers_are_numbers(void **state) {
  (void)state;
  put_text("in/f.tsv",
           "path\ty\nb.wav\t-0.5 2\na.WAV\t1e3\nB.flac.wav\tnan\nb.wav\t0x1\nb.wav\te\n");
  options.labels = "y";
  tare_dataset *data = open_data(at("in/f.tsv"), &options);
  const tare_sample *sample = next_sample(data);
  assert_non_null(sample->label);
  assert_int_equal(sample->label->dtype, TARE_F64);
  assert_int_equal(sample->label->dims[0], 2);
  assert_true(((const double *)sample->label->data)[0] == -0.5);
  assert_true(((const double *)sample->label->data)[1] == 2);
  sample = next_sample(data);
  assert_int_equal(sample->label->rank, 0);
  assert_true(*(const double *)sample->label->data == 1000);
  for (int i = 0; i < 3; i++) { /* text */
    sample = next_sample(data);
    assert_null(sample->label);
    assert_non_null(sample->label_text);
  }
  tare_dataset_close(&data);
  options.labels = NULL;
}

static void tabs_separate_as_commas_do(void **state) {
  (void)state;
  put_text("in/t.tsv", "path\tdigits\nb.wav\t4 -100 7\na.WAV\t5\nB.flac.wav\tsix, 7\n");
  options.labels = "digits";
  tare_dataset *data = open_data(at("in/t.tsv"), &options);
  const tare_sample *sample = next_sample(data);
  assert_non_null(sample->label);
  assert_int_equal(sample->label->rank, 1);
  assert_int_equal(sample->label->dims[0], 3);
  assert_int_equal(((const int64_t *)sample->label->data)[1], -100);
  sample = next_sample(data);
  assert_int_equal(sample->label->rank, 0);
  assert_int_equal(*(const int64_t *)sample->label->data, 5);
  sample = next_sample(data);
  assert_null(sample->label);
  assert_string_equal(sample->label_text, "six, 7");
  tare_dataset_close(&data);
  options.labels = NULL;
}

static void folder_without_data(void **state) {
  (void)state;
  assert_int_equal(mkdir(at("bare"), 0700), 0);
  put_text("bare/x.doc", "");
  refuse_open(
      at("bare"), &options, TARE_E_INPUT,
      "bare: no audio, tar shards, HDF5, NumPy or Kaldi data in this folder or below (1 entry of "
      "another kind)");
}

static void manifest_with_every_quirk(void **state) {
  (void)state;
  put_text("in/m.csv",
           "\xef\xbb\xbf"
           "digits,\"path\",note\r\n"
           "\"1,2\",b.wav,\r\n"
           "\r\n"
           "\"a \"\"q\"\"\",\"sub/c, d.wav\",\"two\r\nlines\"\n"
           "3,a.WAV,x");
  options.labels = "digits";
  static const char *const LABELS[] = {"1,2", "a \"q\"", "3"};
  expect("in/m.csv", 3, (const int64_t[]){2, 4, 1}, LABELS);
  options.labels = NULL;
  expect("in/m.csv", 3, (const int64_t[]){2, 4, 1}, NULL);
  options.labels = "nothing";
  refuse_open(at("in/m.csv"), &options, TARE_E_USAGE, "no label column 'nothing'");
  options.labels = NULL;
}

static void folder_with_a_manifest_is_that_manifest(void **state) {
  (void)state;
  put_text("in/manifest.csv", "path\nb.wav\n");
  expect("in", 1, (const int64_t[]){2}, NULL);
  put_text("in/labels.csv", "file,digits\nb.wav,1\n"); /* without "path" it is some other table */
  expect("in", 1, (const int64_t[]){2}, NULL);
  put_text("in/labels.csv", "path,digits\na.WAV,1\nb.wav,2\n");
  options.labels = "digits";
  static const char *const LABELS[] = {"1", "2"};
  expect("in", 2, (const int64_t[]){1, 2}, LABELS);
  options.labels = NULL;
  unlink(at("in/manifest.csv"));
  unlink(at("in/labels.csv"));
}

static void list_of_paths(void **state) {
  (void)state;
  char text[2 * PATH_CAPACITY];
  snprintf(text, sizeof text, "b.wav\r\n\n%s\nsub/c, d.wav", at("in/a.WAV"));
  put_text("in/l.txt", text);
  expect("in/l.txt", 3, (const int64_t[]){2, 1, 4}, NULL);
  put_text("in/l.lst", "\n\n");
  refuse_open(at("in/l.lst"), &options, TARE_E_INPUT, "l.lst: lists no files");
}

static void malformed_manifests(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } CASES[] = {
      {"file,digits\nb.wav,1\n", "no column 'path' in the header"},
      {"", "no column 'path' in the header"},
      {"path,x,path\nb.wav,1,2\n", "duplicate column 'path'"},
      {"path,x,x\nb.wav,1,2\n", "duplicate column 'x'"},
      {"path,x\nb.wav,\"1\n", "bad.csv line 2: unterminated quote"},
      {"path,x\nb.wav,\"1\"2\n", "bad.csv line 2: text after a closing quote"},
      {"path,x\nb.wav,1\"2\n", "bad.csv line 2: stray quote inside"},
      {"path,x\nb.wav\n", "bad.csv line 2: has 1 fields, the header has 2"},
      {"path,x\nb.wav,1,2\n", "bad.csv line 2: has 3 fields, the header has 2"},
      {"path,x\nb.wav,\"1\n2\"\nb.wav\n", "bad.csv line 4: has 1 fields, the header has 2"},
      {"path,x\n\n,1\n", "bad.csv line 3: the path is empty"},
      {"path,x\n", "has a header but no rows"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    put_text("in/bad.csv", CASES[i].text);
    refuse_open(at("in/bad.csv"), &options, TARE_E_INPUT, CASES[i].part);
  }
  FILE *const file = fopen(at("in/bad.csv"), "wb");
  assert_non_null(file);
  fwrite("path\nb\0.wav\n", 1, 12, file);
  fclose(file);
  refuse_open(at("in/bad.csv"), &options, TARE_E_INPUT, "bad.csv line 2: holds a NUL byte");
}

static void row_of_a_missing_file_is_a_bad_sample(void **state) {
  (void)state;
  put_text("in/gone.csv", "path\nb.wav\ngone.wav\na.WAV\nsub\n");
  refuse_sample(at("in/gone.csv"), options, 1, 2, "gone.csv line 3: ");
  refuse_sample(at("in/gone.csv"), options, 1, 2, "gone.wav: cannot open: No such file");
}

static void paths_follow_each_other(void **state) {
  (void)state;
  put_text("in/m.csv", "path\nb.wav\n");
  const char *paths[3];
  char first[PATH_CAPACITY], second[PATH_CAPACITY];
  snprintf(first, sizeof first, "%s", at("in/a.WAV"));
  snprintf(second, sizeof second, "%s", at("in/m.csv"));
  paths[0] = first;
  paths[1] = second;
  paths[2] = first;
  tare_dataset *data = NULL;
  assert_int_equal(tare_dataset_open(paths, 3, &options, &data, NULL), TARE_OK);
  assert_int_equal(tare_dataset_count(data), 3);
  assert_string_equal(tare_dataset_describe(data), "audio at each file's own rate, 3 samples");
  const int64_t lengths[] = {1, 2, 1};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(next_sample(data)->tensors[0].dims[0], lengths[i]);
  }
  tare_dataset_close(&data);
}

static void wrong_use(void **state) {
  (void)state;
  tare_dataset *data = NULL;
  assert_int_equal(tare_dataset_open(NULL, 0, &options, &data, NULL), TARE_E_USAGE);
  assert_null(data);
  tare_dataset_close(&data);
  tare_dataset_options o = options;
  o.n_inputs = 0;
  refuse_open(at("in"), &o, TARE_E_USAGE, "at least one model input");
  o = options;
  o.rate = -1;
  refuse_open(at("in"), &o, TARE_E_USAGE, "must not be negative");
  o = options;
  o.limits = elements_limit(INT64_MAX);
  refuse_open(at("in"), &o, TARE_E_USAGE, "limit max-elements: expected 1");
  assert_int_equal(mkfifo(at("pipe.wav"), 0600), 0);
  refuse_open(at("pipe.wav"), &options, TARE_E_INPUT, "neither a regular file nor a folder");
}

int manifest_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folder_is_sorted_by_name),
      cmocka_unit_test(folders_are_searched_in_depth),
      cmocka_unit_test(tabs_separate_as_commas_do),
      cmocka_unit_test(labels_of_numbers_are_numbers),
      cmocka_unit_test(folder_without_data),
      cmocka_unit_test(manifest_with_every_quirk),
      cmocka_unit_test(folder_with_a_manifest_is_that_manifest),
      cmocka_unit_test(list_of_paths),
      cmocka_unit_test(malformed_manifests),
      cmocka_unit_test(row_of_a_missing_file_is_a_bad_sample),
      cmocka_unit_test(paths_follow_each_other),
      cmocka_unit_test(wrong_use),
  };
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
