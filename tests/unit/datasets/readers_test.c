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
      assert_true(tarei_reader_knows_extension(path));
    }
  }
  assert_false(tarei_reader_knows_extension("folder.wav/file"));
  assert_false(tarei_reader_knows_extension("wav"));
  assert_ptr_equal(tarei_reader_for("no/such/file"), READERS[N_READERS - 1]);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fills_every_slot),
      cmocka_unit_test(each_is_found_by_its_extensions),
      cmocka_unit_test(each_refuses_what_is_no_data),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
