#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tare/tare.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "base/error.h"
#include "base/half.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/source.h"
#include "base/str.h"
#include "base/unfinished.h"

static void error_carries_status_and_sentence(void **state) {
  (void)state;
  tare_error err = {0};
  assert_int_equal(tarei_fail(&err, TARE_E_INPUT, "x is %d", 7), TARE_E_INPUT);
  assert_string_equal(err.message, "x is 7");
  assert_int_equal(tarei_fail_in(&err, TARE_E_MODEL, "node '%s'", "n"), TARE_E_MODEL);
  assert_string_equal(err.message, "node 'n': x is 7");
  tarei_fail_in(&err, TARE_E_MODEL, "node 'n'");
  assert_string_equal(err.message, "node 'n': x is 7");
  assert_int_equal(tarei_fail(NULL, TARE_E_IO, "nobody listens"), TARE_E_IO);
}

static void error_message_is_cut_at_capacity(void **state) {
  (void)state;
  tare_error err = {0};
  char *const big = malloc(2 * TARE_ERROR_CAPACITY);
  assert_non_null(big);
  memset(big, 'a', 2 * TARE_ERROR_CAPACITY);
  big[2 * TARE_ERROR_CAPACITY - 1] = 0;
  tarei_fail(&err, TARE_E_INPUT, "%s", big);
  assert_int_equal(strlen(err.message), TARE_ERROR_CAPACITY - 1);
  tarei_fail_in(&err, TARE_E_INPUT, "where");
  assert_memory_equal(err.message, "where: aaa", 10);
  free(big);
}

/* Names in messages may be of files that others made; letters beyond ASCII stay. */
static void messages_have_no_controls(void **state) {
  (void)state;
  tare_error err = {0};
  tarei_fail(&err, TARE_E_INPUT, "%s: 'gr\xc3\xbcn\xc2\x9b'", "a\nb\x1b[31m\x7f");
  assert_string_equal(err.message, "a?b?[31m?: 'gr\xc3\xbcn\?\?'");
  tarei_fail_in(&err, TARE_E_MODEL, "%s", "c\td");
  assert_string_equal(err.message, "c?d: a?b?[31m?: 'gr\xc3\xbcn\?\?'");
  char cut[] = "\xc2"; /* where a message is cut */
  tare_make_printable(cut);
  assert_string_equal(cut, "\xc2");
}

static void status_names_and_exit_codes(void **state) {
  (void)state;
  assert_string_equal(tare_status_name(TARE_E_UNSUPPORTED), "E_UNSUPPORTED");
  assert_string_equal(tare_status_name((tare_status)-99), "E_?");
  assert_int_equal(tare_status_exit_code(TARE_OK), 0);
  assert_int_equal(tare_status_exit_code(TARE_E_CHECK), 1);
  assert_int_equal(tare_status_exit_code(TARE_E_UNSUPPORTED), 4);
}

static void sizes_that_overflow_give_null(void **state) {
  (void)state;
  assert_null(tarei_alloc_aligned(SIZE_MAX / 2, 4));
  size_t n;
  assert_false(tarei_mul_size(SIZE_MAX, 2, &n));
  float *const p = tarei_alloc_aligned(5, sizeof *p);
  assert_non_null(p);
  assert_int_equal((uintptr_t)p % TAREI_ALIGN, 0);
  free(p);
}

static void half_round_trips_every_value(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000u; h++) {
    const float f = tarei_f16_to_float((uint16_t)h);
    const uint16_t back = tarei_float_to_f16(f);
    if (f != f) {
      assert_true((back & 0x7c00u) == 0x7c00u && (back & 0x3ffu));
    } else {
      assert_int_equal(back, h);
    }
  }
}

/* The arithmetic of float16 written out: its values are multiples of a power of two. */
static void half_widens_by_its_definition(void **state) {
  (void)state;
  for (uint32_t h = 0; h < 0x10000; h++) {
    const int exponent = (int)(h >> 10 & 0x1f), fraction = (int)(h & 0x3ff);
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    const float f = tarei_f16_to_float((uint16_t)h);
    if (exponent == 0x1f && fraction) {
      assert_true(isnan(f));
    } else {
      assert_true((double)f == (h >> 15 ? -1 : 1) * (exponent == 0x1f ? INFINITY : size));
      assert_true(!signbit(f) == !(h >> 15));
    }
  }
}

/* Each float becomes the nearest value. */
static void half_narrows_to_the_nearest(void **state) {
  (void)state;
  enum { N = 4099 };
  uint32_t bits = 12345;
  for (int i = 0; i < N; i++) {
    bits = bits * 1664525u + 1013904223u;
    const float x =
        i % 2 ? tarei_bits_to_float(bits) : ldexpf((float)(int32_t)bits, -(int)(bits % 60));
    const uint16_t h = tarei_float_to_f16(x);
    const float back = tarei_f16_to_float(h);
    if (isnan(x)) {
      assert_true(isnan(back));
    } else if (fabsf(x) < 65520) {
      const float next = tarei_f16_to_float((uint16_t)(h + 1));
      const float before = tarei_f16_to_float((uint16_t)(h & 0x7fff ? h - 1 : h));
      assert_true(fabsf(x - back) <= fabsf(x - next));
      assert_true(fabsf(x - back) <= fabsf(x - before));
    } else {
      assert_true(isinf(back) && signbit(back) == signbit(x));
    }
  }
}

static void half_rounds_to_even(void **state) {
  (void)state;
  assert_int_equal(tarei_float_to_f16(1.0f + 0x1p-11f), 0x3c00);     /* tie, down to even */
  assert_int_equal(tarei_float_to_f16(1.0f + 3 * 0x1p-11f), 0x3c02); /* tie, up to even */
  assert_int_equal(tarei_float_to_f16(65519.0f), 0x7bff);
  assert_int_equal(tarei_float_to_f16(65520.0f), 0x7c00);
  assert_int_equal(tarei_float_to_f16(0x1p-25f), 0);
  assert_int_equal(tarei_float_to_f16(0x1.8p-25f), 1);
  assert_int_equal(tarei_float_to_bf16(1.0f + 0x1p-8f), 0x3f80);
}

static void pick_lists_the_choices(void **state) {
  (void)state;
  const char *const names[] = {"a", "b"};
  int i = -1;
  assert_int_equal(tarei_pick("method", "b", names, 2, &i, NULL), TARE_OK);
  assert_int_equal(i, 1);
  tare_error err = {0};
  assert_int_equal(tarei_pick("method", "c", names, 2, &i, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "unknown method 'c', expected one of a, b");
  const char *const methods[] = {"minmax", "entropy"};
  assert_int_equal(tarei_pick("method", "entorpy", methods, 2, &i, &err), TARE_E_USAGE);
  assert_string_equal(err.message,
                      "unknown method 'entorpy', expected one of minmax, entropy (did you mean "
                      "'entropy'?)");
}

static void names_are_alike_but_for_how_they_are_written(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool alike;
  } cases[] = {
      {"embeds", "embed", true},
      {"embeds", "Embeds", true},
      {"input_ids", "inputIDs", true},
      {"input_ids", "input-id", true},
      {"h0", "h_0", true},
      {"h0", "h", true},
      {"x", "xs", true},
      {"attention_mask", "atention_msk", true},
      {"past_key_values.0.key", "past_key_values_0_key", true},
      {"past_key_values.0.key", "past_key_values.1.key", false},
      {"past_0_key", "past_0_value", false},
      {"h0", "c0", false},
      {"mask", "embeds", false},
      {"x", "y", false},
      {"audio", "label", false},
      {"", "", false},
      {"1", "1", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (tarei_names_alike(cases[i].a, cases[i].b) != cases[i].alike ||
        tarei_names_alike(cases[i].b, cases[i].a) != cases[i].alike) {
      fail_msg("%s and %s", cases[i].a, cases[i].b);
    }
  }
}

static void the_nearest_name_is_few_letters_away(void **state) {
  (void)state;
  const char *const names[] = {"calibrate", "table", "run", "bench"};
  assert_int_equal(tare_nearest_name("calibrat", names, 4), 0);
  assert_int_equal(tare_nearest_name("tabel", names, 4), 1); /* swapped */
  assert_int_equal(tare_nearest_name("rnu", names, 4), 2);
  assert_int_equal(tare_nearest_name("fly", names, 4), -1);
  assert_int_equal(tare_nearest_name("", names, 4), -1);
  char longest[400];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  const char *const one = longest;
  assert_int_equal(tare_nearest_name(longest, names, 4), -1);
  assert_int_equal(tare_nearest_name("xx", &one, 1), -1);
}

static void outfile_appears_whole_or_not_at_all(void **state) {
  (void)state;
  char folder[] = "/tmp/tare-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/x", folder);
  tarei_outfile out;
  assert_int_equal(tarei_outfile_open(path, &out, NULL), TARE_OK);
  tarei_outfile_write(&out, "hello", 5);
  assert_int_equal(access(path, F_OK), -1);
  tarei_outfile_abort(&out);
  assert_int_equal(access(path, F_OK), -1);
  assert_int_equal(tarei_outfile_open(path, &out, NULL), TARE_OK);
  tarei_outfile_write(&out, "hello", 5);
  assert_int_equal(tarei_outfile_commit(&out, NULL), TARE_OK);
  tarei_source source;
  assert_int_equal(tarei_source_open(path, &source, NULL), TARE_OK);
  assert_int_equal(source.size, 5);
  assert_memory_equal(source.data, "hello", 5);
  tarei_source_close(&source);
  unlink(path);
  assert_int_equal(rmdir(folder), 0); /* no temporary file was left */
}

static int n_files(const char *const folder) {
  DIR *const d = opendir(folder);
  assert_non_null(d);
  int n = 0;
  for (const struct dirent *e; (e = readdir(d));) {
    n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
  }
  closedir(d);
  return n;
}

/* Other processes see nothing of a file before it is whole, and nothing but it afterwards. */
static void outfiles_have_no_name_before_commit(void **state) {
  (void)state;
  char folder[] = "/tmp/tare-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/x", folder);
  tarei_outfile out;
  for (int i = 0; i < 2; i++) { /* a new file, and one that replaces it */
    assert_int_equal(tarei_outfile_open(path, &out, NULL), TARE_OK);
    tarei_outfile_write(&out, "hello", 5);
    assert_int_equal(n_files(folder), out.named ? i + 1 : i);
    assert_int_equal(tarei_outfile_commit(&out, NULL), TARE_OK);
    assert_int_equal(n_files(folder), 1);
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void unfinished_files_can_be_abandoned(void **state) {
  (void)state;
  char folder[] = "/tmp/tare-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char paths[40][64]; /* more than are noted */
  int marks[40];
  for (int i = 0; i < 40; i++) {
    snprintf(paths[i], sizeof *paths, "%s/%d", folder, i);
    FILE *const file = fopen(paths[i], "wb");
    assert_non_null(file);
    fclose(file);
    marks[i] = tarei_unfinished_add(paths[i]);
  }
  assert_true(marks[0] > 0 && marks[1] > 0);
  tarei_unfinished_remove(marks[1]);
  tare_abandon_outputs();
  assert_int_equal(access(paths[0], F_OK), -1);
  assert_int_equal(access(paths[1], F_OK), 0); /* finished ones stay */
  for (int i = 0; i < 40; i++) {
    if (i != 1) {
      tarei_unfinished_remove(marks[i]);
    }
    unlink(paths[i]);
  }
  assert_int_equal(rmdir(folder), 0);
}

static void a_failed_write_is_reported_with_its_reason(void **state) {
  (void)state;
  char folder[] = "/tmp/tare-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/x", folder);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {.rlim_cur = 7, .rlim_max = before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  tarei_outfile out;
  assert_int_equal(tarei_outfile_open(path, &out, NULL), TARE_OK);
  tarei_outfile_write(&out, "hello", 5);
  assert_int_equal(tarei_outfile_check(&out, NULL), TARE_OK);
  tarei_outfile_write(&out, "hello", 5);
  errno = 0; /* of anything that happens in between */
  tare_error err = {0};
  assert_int_equal(tarei_outfile_commit(&out, &err), TARE_E_IO);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_non_null(strstr(err.message, "x: cannot write: File too large"));
  assert_int_equal(rmdir(folder), 0);
}

/* Checked on a pipe of its own: a defect here destroys what it is tried on. */
static void outfile_replaces_no_device_folder_or_link(void **state) {
  (void)state;
  char folder[] = "/tmp/tare-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char pipe[64], link[64], file[64], lost[64];
  snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  snprintf(link, sizeof link, "%s/link", folder);
  snprintf(file, sizeof file, "%s/file", folder);
  snprintf(lost, sizeof lost, "%s/lost", folder);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_int_equal(symlink("pipe", link), 0);
  assert_int_equal(symlink("gone", lost), 0);
  tare_error err = {0};
  tarei_outfile out;
  const char *const refused[] = {pipe, link, folder, lost};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(tarei_outfile_open(refused[i], &out, &err), TARE_E_IO);
    assert_int_equal(strncmp(err.message, refused[i], strlen(refused[i])), 0);
  }
  struct stat there;
  assert_int_equal(lstat(pipe, &there), 0);
  assert_true(S_ISFIFO(there.st_mode));

  assert_int_equal(unlink(link), 0);
  assert_int_equal(symlink("file", link), 0);
  assert_int_equal(tarei_outfile_open(file, &out, NULL), TARE_OK);
  assert_int_equal(tarei_outfile_commit(&out, NULL), TARE_OK);
  assert_int_equal(tarei_outfile_open(link, &out, NULL), TARE_OK);
  tarei_outfile_write(&out, "hello", 5);
  assert_int_equal(tarei_outfile_commit(&out, NULL), TARE_OK);
  assert_int_equal(lstat(link, &there), 0);
  assert_true(S_ISLNK(there.st_mode));
  assert_int_equal(stat(file, &there), 0);
  assert_int_equal(there.st_size, 5);

  unlink(pipe);
  unlink(link);
  unlink(file);
  unlink(lost);
  assert_int_equal(rmdir(folder), 0);
}

static void source_refuses_what_is_no_file(void **state) {
  (void)state;
  tare_error err = {0};
  tarei_source source;
  assert_int_equal(tarei_source_open("/tmp", &source, &err), TARE_E_INPUT);
  assert_string_equal(err.message, "/tmp: is a folder; expected a regular file");
  assert_int_equal(tarei_source_open("/nonexistent/x", &source, &err), TARE_E_INPUT);
}

int base_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_carries_status_and_sentence),
      cmocka_unit_test(error_message_is_cut_at_capacity),
      cmocka_unit_test(messages_have_no_controls),
      cmocka_unit_test(status_names_and_exit_codes),
      cmocka_unit_test(sizes_that_overflow_give_null),
      cmocka_unit_test(half_round_trips_every_value),
      cmocka_unit_test(half_rounds_to_even),
      cmocka_unit_test(half_widens_by_its_definition),
      cmocka_unit_test(half_narrows_to_the_nearest),
      cmocka_unit_test(pick_lists_the_choices),
      cmocka_unit_test(names_are_alike_but_for_how_they_are_written),
      cmocka_unit_test(the_nearest_name_is_few_letters_away),
      cmocka_unit_test(outfile_appears_whole_or_not_at_all),
      cmocka_unit_test(outfiles_have_no_name_before_commit),
      cmocka_unit_test(unfinished_files_can_be_abandoned),
      cmocka_unit_test(a_failed_write_is_reported_with_its_reason),
      cmocka_unit_test(outfile_replaces_no_device_folder_or_link),
      cmocka_unit_test(source_refuses_what_is_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
