/* Memory that runs out while the lock is held: in our own code, and inside the library, which is
 * not entered again. That is for the whole process, so that these tests have one of their own. */
#include <errno.h>

#include "base/refusals.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"
#include "hdf5_helper.h"

/* As base/mem.h does after an allocation of ours. */
static void refuse_memory(void) {
  errno = ENOMEM;
  assert_null(tarei_refuse());
}

static void our_own_refusals_fail_the_step_alone(void **state) {
  (void)state;
  tare_error err;
  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  refuse_memory();
  assert_true(tarei_hdf5_in_trouble());
  assert_true(tarei_hdf5_is_usable());
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, &err), TARE_E_MEMORY);
  assert_contains(err.message, "out of memory");

  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  refuse_memory();
  const tare_status ours = tarei_fail_memory(&err, "a sample", 7);
  assert_int_equal(tarei_hdf5_unlock(ours, &err), TARE_E_MEMORY);
  assert_string_equal(err.message, "a sample: no memory for 7 bytes");

  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  assert_false(tarei_hdf5_in_trouble());
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, NULL), TARE_OK);
}

/* As the library leaves errno, whatever its call has answered. */
static void library_without_memory_is_not_entered_again(void **state) {
  (void)state;
  tare_error err;
  tarei_h5_outfile h;
  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  assert_int_equal(tarei_h5_outfile_open(at("new.h5"), H5F_LIBVER_V18, &h, &err), TARE_OK);
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, NULL), TARE_OK);

  assert_int_equal(tarei_hdf5_lock(NULL), TARE_OK);
  errno = ENOMEM;
  assert_false(tarei_hdf5_is_usable());
  assert_true(tarei_hdf5_in_trouble());
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, &err), TARE_E_MEMORY);
  assert_string_equal(err.message, "no memory for HDF5");

  assert_int_equal(tarei_hdf5_lock(&err), TARE_E_MEMORY);
  assert_contains(err.message, "HDF5 ran out of memory earlier");
  tarei_hdf5_lock_to_close();
  assert_false(tarei_hdf5_is_usable());
  tarei_h5_outfile_abort(&h);
  assert_int_equal(tarei_hdf5_unlock(TARE_OK, NULL), TARE_OK);
  assert_int_equal(rmdir(scratch), 0); /* it is empty */
}

int hdf5_lock_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(our_own_refusals_fail_the_step_alone),
      cmocka_unit_test(library_without_memory_is_not_entered_again),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
