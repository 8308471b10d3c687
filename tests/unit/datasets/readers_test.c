/* What holds for every reader in readers.inc. */
#include "data_helper.h"
#include "datasets/reader.h"

static const tarei_reader_ops *const READERS[] = {
#define TAREI_READER(name) &tarei_reader_##name,
#include "datasets/readers.inc"
#undef TAREI_READER
};
enum { N_READERS = sizeof READERS / sizeof *READERS };

static void each_fills_every_slot(void **state) {
  (void)state;
  for (int i = 0; i < N_READERS; i++) {
    const tarei_reader_ops *const r = READERS[i];
    assert_non_null(r->name);
    assert_non_null(r->kind.noun);
    assert_non_null(r->extensions);
    assert_non_null(r->recognises);
    assert_non_null(r->open);
    assert_non_null(r->count);
    assert_non_null(r->describe);
    assert_non_null(r->read);
    assert_non_null(r->close);
    r->close(NULL);
  }
}

static void each_is_found_by_its_extensions(void **state) {
  (void)state;
  for (int i = 0; i < N_READERS; i++) {
    for (const char *const *e = READERS[i]->extensions; *e; e++) {
      char path[64];
      snprintf(path, sizeof path, "some.folder/file.%s", *e);
      assert_ptr_equal(tarei_reader_for(path), READERS[i]);
      assert_non_null(tarei_reader_named(path));
    }
  }
  assert_null(tarei_reader_named("folder.wav/file"));
  assert_null(tarei_reader_named("wav"));
  assert_ptr_equal(tarei_reader_for("no/such/file"), READERS[N_READERS - 1]);
}

static void write_bytes(const char *const path, const char *const bytes, const size_t n) {
  FILE *const f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}

static void kinds_are_known_by_name_and_by_content(void **state) {
  (void)state;
  static const struct {
    const char *name, *noun;
  } NAMES[] = {{"a.h5", "an HDF5 file"},
               {"a.HDF5", "an HDF5 file"},
               {"a.npz", "a NumPy archive"},
               {"a.npy", "a NumPy array"},
               {"a.aiff", "a recording"},
               {"a.opus", "a recording"},
               {"a.sph", "a recording"},
               {"a.w64", "a recording"},
               {"a.rf64", "a recording"},
               {"a.caf", "a recording"},
               {"a.voc", "a recording"},
               {"b/a.tsv", "a manifest"},
               {"a.lst", "a text file"},
               {"a.tar.zst", "a tar shard"},
               {"a.b.TAR", "a tar shard"},
               {"a.gz", NULL},
               {"tar", NULL},
               {"a.ark", "a Kaldi archive"},
               {"wav.scp", "a Kaldi script file"},
               {"data/segments", "Kaldi segments"},
               {"a.jsonl.gz", "a JSON Lines manifest"},
               {"a.onnx", NULL},
               {"a.wav/b", NULL},
               {"", NULL}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    const tare_data_kind *const kind = tare_data_kind_named(NAMES[i].name);
    assert_int_equal(kind != NULL, NAMES[i].noun != NULL);
    assert_true(!kind || strcmp(kind->noun, NAMES[i].noun) == 0);
  }
  static const struct {
    const char *bytes;
    size_t n;
    const char *noun;
  } CONTENTS[] = {{"\x89HDF\r\n\x1a\n", 8, "an HDF5 file"},
                  {"\x93NUMPY", 6, "a NumPy array"},
                  {"PK\x03\x04", 4, "a NumPy archive"},
                  {"fLaC", 4, "a recording"},
                  {"ID3", 3, "a recording"},
                  {"OggS", 4, "a recording"},
                  {"RIFF0000WAVE", 12, "a recording"},
                  {"FORM0000AIFC", 12, "a recording"},
                  {"RIFF0000AVI ", 12, NULL},
                  {"fLa", 3, NULL},
                  {"", 0, NULL}};
  for (size_t i = 0; i < sizeof CONTENTS / sizeof *CONTENTS; i++) {
    write_bytes(at("nameless"), CONTENTS[i].bytes, CONTENTS[i].n);
    const tare_data_kind *const kind = tare_data_kind_of(at("nameless"));
    if ((kind != NULL) != (CONTENTS[i].noun != NULL) ||
        (kind && strcmp(kind->noun, CONTENTS[i].noun) != 0)) {
      fail_msg("'%s' is %s", CONTENTS[i].bytes, kind ? kind->noun : "no data");
    }
  }
  assert_true(tare_data_kind_of(at("some.h5"))->tensors);
  assert_string_equal(tare_data_kind_of(scratch)->noun, "a folder");
  assert_null(tare_data_kind_of(at("no-such-file")));
}

/* Open or the first read must refuse these; neither may crash. */
static void refuse_file(const tarei_reader_ops *const r, const char *const path,
                        const tarei_data_spec *const spec) {
  void *reader = NULL;
  tare_error err = {0};
  tare_status status = r->open(path, spec, false, &reader, &err);
  if (status != TARE_OK) {
    assert_null(reader);
  } else {
    assert_true(r->count(reader) >= 0);
    assert_non_null(r->describe(reader));
    tarei_slot slot = {0};
    assert_int_equal(tarei_slot_init(&slot, spec->n_inputs, &err), TARE_OK);
    status = r->read(reader, 0, &slot, &err);
    tarei_slot_fini(&slot);
    r->close(reader);
  }
  assert_int_equal(status, TARE_E_INPUT);
  assert_int_equal(err.status, status);
  assert_true(err.message[0]);
}

static void each_refuses_what_is_no_data(void **state) {
  (void)state;
  tare_port x = port("x", TARE_F32, 2);
  const tarei_data_spec spec = {.inputs = &x, .n_inputs = 1, .limits.elements = 1000};
  FILE *const file = fopen(at("noise"), "wb");
  assert_non_null(file);
  for (int i = 0; i < 5000; i++) {
    fputc((i * i * 31 + 7) & 255, file);
  }
  fclose(file);
  for (int i = 0; i < N_READERS; i++) {
    refuse_file(READERS[i], at("nothing"), &spec);
    refuse_file(READERS[i], at("noise"), &spec);
    refuse_file(READERS[i], scratch, &spec); /* a folder */
  }
}

int readers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fills_every_slot),
      cmocka_unit_test(each_is_found_by_its_extensions),
      cmocka_unit_test(kinds_are_known_by_name_and_by_content),
      cmocka_unit_test(each_refuses_what_is_no_data),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
