/* Shape inference on whole models, where they are at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ftw.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmocka.h>

#include "graph/pass.h"

static void path_of(char *const path, const size_t size, const char *const folder,
                    const char *const name, const char *const extension) {
  (void)snprintf(path, size, "%s/%s/%s%s", TARE_SHARED_DIR, folder, name, extension);
  if (access(path, R_OK) != 0) {
    print_message("skipped: no %s\n", path);
    skip();
  }
}

static int read_dims(const hid_t file, const char *const path, hsize_t *const dims) {
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
  assert_int_equal(H5Sclose(space), 0);
  assert_int_equal(H5Dclose(set), 0);
  return rank;
}

/* Symbols from the shapes of the inputs; then the shapes of the outputs have to come out. */
static void check_case(const hid_t file, const char *const name, const tarei_graph *const graph) {
  int64_t symbols[8] = {0};
  hsize_t dims[TARE_MAX_RANK];
  char path[256];
  assert_true(tarei_exprs_n_symbols(graph->exprs) <= 8);
  for (int i = 0; i < graph->n_inputs; i++) {
    const tarei_value *const value = &graph->values[graph->inputs[i]];
    (void)snprintf(path, sizeof path, "%s/inputs/%s", name, value->name);
    assert_int_equal(read_dims(file, path, dims), value->rank);
    for (int k = 0; k < value->rank; k++) {
      for (int s = 0; s < tarei_exprs_n_symbols(graph->exprs); s++) {
        if (tarei_expr_uses(graph->exprs, value->dims[k], s)) {
          symbols[s] = (int64_t)dims[k];
        }
      }
    }
  }
  for (int i = 0; i < graph->n_outputs; i++) {
    const tarei_value *const value = &graph->values[graph->outputs[i]];
    (void)snprintf(path, sizeof path, "%s/outputs/%s", name, value->name);
    assert_int_equal(read_dims(file, path, dims), value->rank);
    for (int k = 0; k < value->rank; k++) {
      int64_t n = -1;
      assert_true(tarei_expr_eval(graph->exprs, value->dims[k], symbols, &n));
      assert_int_equal(n, dims[k]);
    }
  }
}

static herr_t visit_case(const hid_t file, const char *const name, const H5L_info_t *const info,
                         void *const user) {
  (void)info;
  check_case(file, name, user);
  return 0;
}

static void check_model(const char *const name) {
  char path[1024], golden[1024];
  path_of(path, sizeof path, "models", name, ".onnx");
  path_of(golden, sizeof golden, "golden", name, ".h5");
  tarei_graph *graph = NULL;
  tare_error err = {0};
  if (tarei_onnx_load(path, NULL, &graph, NULL, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    for (int k = 0; k < graph->nodes[i].n_out; k++) {
      assert_true(graph->values[graph->nodes[i].out[k]].rank >= 0);
    }
  }
  const hid_t file = H5Fopen(golden, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_int_equal(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_case, graph), 0);
  assert_int_equal(H5Fclose(file), 0);
  tarei_graph_free(graph);
}

static void digits_conv_gives_golden_shapes(void **state) {
  (void)state;
  check_model("digits-conv");
}

static void digits_former_gives_golden_shapes(void **state) {
  (void)state;
  check_model("digits-former");
}

static void intents_bert_gives_golden_shapes(void **state) {
  (void)state;
  check_model("intents-bert");
}

static void intents_mini_gives_golden_shapes(void **state) {
  (void)state;
  check_model("intents-mini");
}

static int n_loaded, n_refused;

/* A model is read, or refused with a reason. */
static int visit_file(const char *const path, const struct stat *const info, const int type,
                      struct FTW *const ftw) {
  (void)info;
  (void)ftw;
  const size_t n = strlen(path);
  if (type != FTW_F || n < 5 || strcmp(path + n - 5, ".onnx") != 0) {
    return 0;
  }
  tarei_graph *graph = NULL;
  tare_error err = {0};
  const tare_status status = tarei_onnx_load(path, NULL, &graph, NULL, &err);
  n_loaded += status == TARE_OK;
  n_refused += status != TARE_OK;
  if (status == TARE_OK) {
    tarei_graph_check(graph);
  } else {
    assert_true(strlen(err.message) > 0);
    print_message("%s: %.300s\n", tare_status_name(status), err.message);
  }
  tarei_graph_free(graph);
  return 0;
}

static void other_models_load_or_say_why(void **state) {
  (void)state;
  char path[1024];
  path_of(path, sizeof path, "models", "wild", "");
  assert_int_equal(nftw(path, visit_file, 16, FTW_PHYS), 0);
  print_message("%d models loaded, %d refused\n", n_loaded, n_refused);
  assert_true(n_loaded >= 7);
}

int ops_models_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_conv_gives_golden_shapes),
      cmocka_unit_test(digits_former_gives_golden_shapes),
      cmocka_unit_test(intents_bert_gives_golden_shapes),
      cmocka_unit_test(intents_mini_gives_golden_shapes),
      cmocka_unit_test(other_models_load_or_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
