/* Writes tokens, one sample on a line of the standard input as print_tokens prints them, to an HDF5
 * file: input_ids and attention_mask, as variable length arrays or as values with offsets. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 10000 };

static int64_t ones[1 << 16];

static void check(const int64_t result, const char *const what) {
  if (result < 0) {
    (void)fprintf(stderr, "write_tokens: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

/* "12/0 34/1" */
static hvl_t take_tokens(char *const line) {
  int64_t *const ids = malloc((strlen(line) + 1) * sizeof *ids);
  hvl_t out = {.p = ids};
  check(ids ? 0 : -1, "out of memory");
  for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
    ids[out.len++] = strtoll(word, NULL, 10);
  }
  check(out.len && out.len <= sizeof ones / sizeof *ones ? 0 : -1, "no tokens, or too many");
  return out;
}

static void put_data(const hid_t file, const char *const name, const hvl_t *const samples,
                     const hsize_t n) {
  const hid_t type = H5Tvlen_create(H5T_NATIVE_INT64), space = H5Screate_simple(1, &n, NULL);
  const hid_t data = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(data, name);
  check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples), name);
  check(H5Dclose(data), name);
  check(H5Sclose(space), name);
  check(H5Tclose(type), name);
}

static void put_numbers(const hid_t group, const char *const name, const hsize_t n,
                        const int64_t *const numbers) {
  const hid_t space = H5Screate_simple(1, &n, NULL);
  const hid_t data = H5Dcreate2(group, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(data, name);
  check(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), name);
  check(H5Dclose(data), name);
  check(H5Sclose(space), name);
}

static void put_ragged(const hid_t file, const char *const name, const hvl_t *const samples,
                       const hsize_t n) {
  static int64_t offsets[MOST_SAMPLES + 1];
  for (hsize_t i = 0; i < n; i++) {
    offsets[i + 1] = offsets[i] + (int64_t)samples[i].len;
  }
  int64_t *const values = malloc((size_t)offsets[n] * sizeof *values);
  check(values ? 0 : -1, "out of memory");
  for (hsize_t i = 0; i < n; i++) {
    memcpy(values + offsets[i], samples[i].p, samples[i].len * sizeof *values);
  }
  const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(group, name);
  put_numbers(group, "values", (hsize_t)offsets[n], values);
  put_numbers(group, "offsets", n + 1, offsets);
  check(H5Gclose(group), name);
  free(values);
}

int main(const int argc, char **const argv) {
  static hvl_t ids[MOST_SAMPLES], masks[MOST_SAMPLES];
  char *line = NULL;
  size_t capacity = 0;
  hsize_t n = 0;
  const bool ragged = argc == 3 && !strcmp(argv[2], "ragged");
  check(argc == 2 || ragged ? 0 : -1, "usage: write_tokens FILE [ragged] <TOKENS");
  for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
    ones[i] = 1;
  }
  for (; n < MOST_SAMPLES && getline(&line, &capacity, stdin) > 0; n++) {
    ids[n] = take_tokens(line);
    masks[n] = (hvl_t){.len = ids[n].len, .p = ones};
  }
  free(line);
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  check(file, argv[1]);
  (ragged ? put_ragged : put_data)(file, "input_ids", ids, n);
  (ragged ? put_ragged : put_data)(file, "attention_mask", masks, n);
  check(H5Fclose(file), argv[1]);
  for (hsize_t i = 0; i < n; i++) {
    free(ids[i].p);
  }
  return EXIT_SUCCESS;
}
