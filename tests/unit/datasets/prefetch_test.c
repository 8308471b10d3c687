/* The reading threads: stopped at any moment, bounded in memory, counting bad samples exactly. */
#include <sys/resource.h>

#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/prefetch.h"
#include "hdf5_helper.h"
#include "unit/seed.h"

#ifdef __SANITIZE_ADDRESS__ /* starting a thread takes long there */
enum { STOPS = 40 };
#else
enum { STOPS = 300 };
#endif

static tare_port x_port;
static tare_dataset_options options;

static int set_up(void **state) {
  x_port = port("x", TARE_F32, 2);
  options = options_for(&x_port, 1);
  return make_scratch(state);
}

static void put_rows(const char *const name, const hsize_t rows, const hsize_t columns) {
  float *const values = calloc(rows * columns, sizeof *values);
  assert_non_null(values);
  for (hsize_t i = 0; i < rows; i++) {
    values[i * columns] = (float)i;
  }
  const hid_t f = make_file(name);
  put_matrix(f, "x", rows, columns, values);
  H5Fclose(f);
  free(values);
}

static void stopped_at_random_moments(void **state) {
  (void)state;
  put_rows("rows.h5", 200, 64);
  srand((unsigned)test_seed());
  for (int round = 0; round < STOPS; round++) {
    tare_dataset *data = open_data(at("rows.h5"), &options);
    const int rewinds = rand() % 3;
    for (int r = 0; r <= rewinds; r++) {
      const int n = rand() % 4 == 0 ? 201 : rand() % 30;
      for (int i = 0; i < n; i++) {
        const tare_sample *const sample = next_sample(data);
        if (i == 200) {
          assert_null(sample);
          break;
        }
        assert_true(*(const float *)sample->tensors[0].data == (float)i);
      }
      if (rand() % 2) {
        usleep((useconds_t)(rand() % 300));
      }
      assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    }
    tare_dataset_close(&data);
    assert_null(data);
  }
}

static void two_data_sets_and_the_caller_share_hdf5(void **state) {
  (void)state;
  put_rows("rows.h5", 200, 64);
  tare_dataset *a = open_data(at("rows.h5"), &options), *b = open_data(at("rows.h5"), &options);
  for (int i = 0; i < 200; i++) {
    assert_true(*(const float *)next_sample(a)->tensors[0].data == (float)i);
    assert_true(*(const float *)next_sample(b)->tensors[0].data == (float)i);
    assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
    const hid_t f = H5Fcreate(at("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    H5Fclose(f);
    assert_int_equal(tarei_hdf5_unlock(TARE_OK, NULL), TARE_OK);
  }
  tare_dataset_close(&a);
  tare_dataset_close(&b);
}

static void lock_silences_and_restores_the_printer(void **state) {
  (void)state;
  H5E_auto2_t before, inside, after;
  void *data;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  assert_non_null(before);
  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  H5Eget_auto2(H5E_DEFAULT, &inside, &data);
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, NULL), TARE_OK);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  assert_true(inside != before); /* ours, which prints nothing */
  assert_ptr_equal(before, after);
}

/* Produces samples of a fixed size and counts how far it is ahead. */
typedef struct producer {
  size_t bytes;
  int shared; /* of this many tickets, one is shared; 0: none */
  int made, total;
  int readers, sharers; /* that read now */
  int most_readers;
  int finishers, most_finishers; /* of shared tickets */
  bool clash;                    /* two read shared tickets at once */
} producer;

static bool claim(void *const user, tarei_ticket *const ticket) {
  producer *const p = user;
  if (p->made == p->total) {
    return false;
  }
  *ticket = (tarei_ticket){.index = p->made, .shared = p->shared && p->made % p->shared == 0};
  __atomic_store_n(&p->made, p->made + 1, __ATOMIC_SEQ_CST);
  return true;
}

static void fill(void *const user, const tarei_ticket *const ticket, tarei_slot *const slot) {
  producer *const p = user;
  const int readers = __atomic_add_fetch(&p->readers, 1, __ATOMIC_SEQ_CST);
  if (readers > __atomic_load_n(&p->most_readers, __ATOMIC_SEQ_CST)) {
    __atomic_store_n(&p->most_readers, readers, __ATOMIC_SEQ_CST);
  }
  if (ticket->shared) {
    p->clash = __atomic_add_fetch(&p->sharers, 1, __ATOMIC_SEQ_CST) != 1 || p->clash;
  }
  usleep((useconds_t)(ticket->index * 7919 % 500)); /* later ones are often done first */
  slot->bytes = p->bytes; /* what it claims; no need to fill memory here */
  slot->index = ticket->index;
  if (ticket->shared) {
    __atomic_sub_fetch(&p->sharers, 1, __ATOMIC_SEQ_CST);
  }
  __atomic_sub_fetch(&p->readers, 1, __ATOMIC_SEQ_CST);
}

static void finish(void *const user, const tarei_ticket *const ticket, tarei_slot *const slot) {
  producer *const p = user;
  assert_int_equal(slot->index, ticket->index);
  const int finishers = __atomic_add_fetch(&p->finishers, ticket->shared, __ATOMIC_SEQ_CST);
  if (finishers > __atomic_load_n(&p->most_finishers, __ATOMIC_SEQ_CST)) {
    __atomic_store_n(&p->most_finishers, finishers, __ATOMIC_SEQ_CST);
  }
  usleep(1000);
  __atomic_sub_fetch(&p->finishers, ticket->shared, __ATOMIC_SEQ_CST);
}

static void check_ahead(const size_t bytes, const int threads, const int shared, const bool few,
                        const int ahead) {
  producer p = {.bytes = bytes, .shared = shared, .total = 50};
  const tarei_prefetch_source source = {claim, fill, finish, &p};
  tarei_prefetch *prefetch = NULL;
  assert_int_equal(tarei_prefetch_start(&source, threads, few, &prefetch, NULL), TARE_OK);
  for (int taken = 0; taken < 50; taken++) {
    usleep(2000);
    assert_true(__atomic_load_n(&p.made, __ATOMIC_SEQ_CST) <= taken + ahead + threads);
    tarei_slot slot = {0};
    assert_true(tarei_prefetch_take(prefetch, &slot));
    assert_int_equal(slot.index, taken);
    tarei_slot_fini(&slot);
  }
  tarei_slot slot = {0};
  assert_false(tarei_prefetch_take(prefetch, &slot));
  tarei_prefetch_stop(&prefetch);
  assert_null(prefetch);
  assert_in_range(p.most_readers, 1, threads);
  assert_false(p.clash);
  assert_true(shared != 1 || threads == 1 || p.most_finishers > 1);
}

static void queue_is_bounded_in_number_and_bytes(void **state) {
  (void)state;
  for (int threads = 1; threads <= TAREI_PREFETCH_SAMPLES; threads += 3) {
    for (int shared = 0; shared <= 3; shared++) {
      check_ahead(1, threads, shared, false,
                  2 * threads > TAREI_PREFETCH_SAMPLES ? 2 * threads : TAREI_PREFETCH_SAMPLES);
      check_ahead(1, threads, shared, true, 2 * threads);
      check_ahead(TAREI_PREFETCH_BYTES / 2, threads, shared, false, 2);
      check_ahead(TAREI_PREFETCH_BYTES * 4, threads, shared, false, 1);
    }
  }
}

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Ten times the samples must not take more memory. */
static void memory_is_flat_in_the_number_of_samples(void **state) {
  (void)state;
  enum { ROW = 1 << 14, FEW = 64, MANY = 1280 }; /* 64 KiB each; 80 MiB in all */
  float *const row = calloc(ROW, sizeof *row);
  hvl_t *const rows = calloc(MANY, sizeof *rows);
  assert_non_null(row);
  assert_non_null(rows);
  for (int i = 0; i < MANY; i++) {
    rows[i] = (hvl_t){ROW, row};
  }
  static const hsize_t COUNTS[] = {FEW, MANY};
  long peak[2];
  hid_t f = make_file("n0.h5");
  put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, COUNTS[0], rows);
  H5Fclose(f);
  f = make_file("n1.h5"); /* appended in parts, so that writing stays small too */
  const hid_t type = H5Tvlen_create(H5T_IEEE_F32LE), memory = H5Tvlen_create(H5T_NATIVE_FLOAT);
  const hsize_t n = MANY, part = 64;
  const hid_t space = H5Screate_simple(1, &n, NULL), small = H5Screate_simple(1, &part, NULL);
  const hid_t set = H5Dcreate2(f, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (hsize_t at_row = 0; at_row < n; at_row += part) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at_row, NULL, &part, NULL);
    assert_true(H5Dwrite(set, memory, small, space, H5P_DEFAULT, rows) >= 0);
  }
  H5Dclose(set);
  H5Sclose(space);
  H5Sclose(small);
  H5Tclose(type);
  H5Tclose(memory);
  H5Fclose(f);
  free(rows);
  free(row);
  for (int i = 0; i < 2; i++) {
    tare_dataset *data = open_data(at(i ? "n1.h5" : "n0.h5"), &options);
    int64_t count = 0;
    while (next_sample(data)) {
      count++;
    }
    assert_int_equal(count, COUNTS[i]);
    tare_dataset_close(&data);
    peak[i] = peak_kib();
  }
  print_message("peak %ld KiB for %d samples, %ld KiB for %d\n", peak[0], FEW, peak[1], MANY);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they hold memory back */
  assert_true(peak[1] - peak[0] < 16 * 1024);
#endif
}

static void bad_samples_are_counted_exactly(void **state) {
  (void)state;
  enum { N = 3000 };
  float *const values = calloc(N, sizeof *values);
  assert_non_null(values);
  int bad = 0;
  for (int i = 0; i < N; i++) {
    values[i] = i % 2 ? __builtin_nanf("") : 1.0f;
    bad += i % 2;
  }
  const hid_t f = make_file("nan.h5");
  put_matrix(f, "x", N, 1, values);
  H5Fclose(f);
  free(values);
  options.skip_bad = true;
  tare_dataset *data = open_data(at("nan.h5"), &options);
  for (int round = 0; round < 2; round++) {
    int64_t good = 0;
    for (const tare_sample *s = next_sample(data); s; s = next_sample(data)) {
      assert_int_equal(s->index, 2 * good);
      good++;
    }
    assert_int_equal(good, N - bad);
    assert_int_equal(tare_dataset_n_bad(data), bad);
    assert_contains(tare_dataset_bad(data, 0), "nan.h5[1]");
    assert_contains(tare_dataset_bad(data, 999), "nan.h5[1999]");
    assert_null(tare_dataset_bad(data, 1000));
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    assert_int_equal(tare_dataset_n_bad(data), 0);
  }
  tare_dataset_close(&data);
  options.skip_bad = false;
}

int prefetch_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_flat_in_the_number_of_samples),
      cmocka_unit_test(stopped_at_random_moments),
      cmocka_unit_test(two_data_sets_and_the_caller_share_hdf5),
      cmocka_unit_test(lock_silences_and_restores_the_printer),
      cmocka_unit_test(queue_is_bounded_in_number_and_bytes),
      cmocka_unit_test(bad_samples_are_counted_exactly),
  };
  return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
