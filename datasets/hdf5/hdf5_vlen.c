/* A 1-D data set of variable-length rows: row i is sample i. Rows are read in blocks. */
#include "base/mem.h"
#include "datasets/hdf5/hdf5_layout.h"
#include "datasets/hdf5/hdf5_vlen_check.h"

enum { BLOCK_ROWS = 64, BLOCK_BYTES = 8 << 20 };

/* Memory of the rows of one block: HDF5 takes it piece by piece and it is given back at once, so
 * that a read that fails in the middle leaves nothing behind. */
typedef struct arena {
  void **pieces;
  size_t n, capacity, bytes, limit;
  bool refused; /* a piece would have passed the limit */
} arena;

typedef struct vlen {
  tarei_h5_data data;
  tarei_vlen_check check;
  hid_t transfer;
  arena arena;
  hvl_t rows[BLOCK_ROWS];
  int64_t first, n; /* rows in memory */
} vlen;

static void *arena_take(const size_t bytes, void *const user) {
  arena *const a = user;
  if (bytes > a->limit - a->bytes) {
    a->refused = true;
    return NULL;
  }
  void *const piece = tarei_realloc(NULL, bytes);
  if (!piece || !TAREI_GROW(a->pieces, a->n, a->capacity)) {
    free(piece);
    return NULL;
  }
  a->pieces[a->n++] = piece;
  a->bytes += bytes;
  return piece;
}

static void arena_ignore(void *const piece, void *const user) {
  (void)piece; /* arena_reset frees it */
  (void)user;
}

static void arena_reset(arena *const a, const size_t limit) {
  for (size_t i = 0; i < a->n; i++) {
    free(a->pieces[i]);
  }
  a->n = a->bytes = 0;
  a->limit = limit;
  a->refused = false;
}

static void vlen_close(void *const state) {
  vlen *const v = state;
  arena_reset(&v->arena, 0);
  free(v->arena.pieces);
  if (v->transfer >= 0) {
    (void)H5Pclose(v->transfer);
  }
  tarei_vlen_check_fini(&v->check);
  tarei_h5_close_data(&v->data);
  free(v);
}

static tare_status hdf5_vlen_make_state(const hid_t file, tarei_h5_data *const data,
                                        vlen **const out, tare_error *const err) {
  vlen *const v = tarei_calloc(1, sizeof *v);
  if (!v) {
    tarei_h5_close_data(data);
    return tarei_fail_memory(err, "vlen data set", sizeof *v);
  }
  v->data = *data;
  v->transfer = H5Pcreate(H5P_DATASET_XFER);
  if (v->transfer < 0 ||
      H5Pset_vlen_mem_manager(v->transfer, arena_take, &v->arena, arena_ignore, &v->arena) < 0) {
    vlen_close(v);
    return tarei_fail(err, TARE_E_MEMORY, "HDF5 cannot create a property list");
  }
  const tare_status status = tarei_vlen_check_init(file, data->set, &v->check, err);
  if (status != TARE_OK) {
    vlen_close(v);
    return status;
  }
  *out = v;
  return TARE_OK;
}

static tare_status vlen_bind(const tarei_h5_want *const want, tarei_column *const column,
                             tare_error *const err) {
  const tare_mapping *const mapping = want->mapping;
  const char *const path = mapping ? mapping->path : want->name;
  if ((mapping && (mapping->offsets || mapping->lengths)) ||
      !tarei_h5_is_data_set(want->file, path)) {
    return TARE_OK;
  }
  tarei_h5_data data;
  TAREI_TRY(tarei_h5_open_data(want->file, path, &data, err));
  if (!data.vlen) {
    tarei_h5_close_data(&data);
    return TARE_OK;
  }
  if (data.rank != 1) {
    const int rank = data.rank;
    tarei_h5_close_data(&data);
    return tarei_fail(err, TARE_E_INPUT, "vlen data set '%s' has rank %d, expected 1", path, rank);
  }
  vlen *v = NULL;
  TAREI_TRY(hdf5_vlen_make_state(want->file, &data, &v, err));
  column->count = v->data.dims[0];
  column->kind = "vlen data sets";
  column->state = v;
  return TARE_OK;
}

static tare_status hdf5_vlen_load(const tarei_column *const column, const int64_t first,
                                  const int64_t n, const size_t limit, tare_error *const err) {
  vlen *const v = column->state;
  v->n = 0;
  arena_reset(&v->arena, limit);
  tare_status status = TARE_OK;
  for (int64_t i = first; i < first + n && status == TARE_OK; i++) {
    status = tarei_vlen_check_row(&v->check, i, column->max_elements, err);
  }
  tarei_vlen_check_release(&v->check);
  TAREI_TRY(status);
  TAREI_TRY(tarei_h5_read_box_with(&v->data, v->transfer, &first, &n, v->rows, err));
  v->first = first;
  v->n = n;
  return TARE_OK;
}

/* A block with a bad or very long row is read again one row at a time. */
static tare_status load_row(const tarei_column *const column, const int64_t i,
                            tare_error *const err) {
  const vlen *const v = column->state;
  if (i >= v->first && i < v->first + v->n) {
    return TARE_OK;
  }
  const int64_t left = column->count - i, n = left < BLOCK_ROWS ? left : BLOCK_ROWS;
  if (hdf5_vlen_load(column, i, n, BLOCK_BYTES, NULL) == TARE_OK) {
    return TARE_OK;
  }
  const size_t limit = (size_t)column->max_elements * tarei_number_size(v->data.number);
  const tare_status status = hdf5_vlen_load(column, i, 1, limit, err);
  return status != TARE_OK && v->arena.refused
             ? tarei_fail(err, TARE_E_INPUT,
                          "has more elements than the %lld that max-elements allows",
                          (long long)column->max_elements)
             : status;
}

static tare_status vlen_read(tarei_column *const column, const int64_t i,
                             tarei_h5_sample *const out, tare_error *const err) {
  vlen *const v = column->state;
  TAREI_TRY(load_row(column, i, err));
  const hvl_t *const row = &v->rows[i - v->first];
  if (row->len > (size_t)column->max_elements) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %zu elements, more than the %lld that max-elements allows", row->len,
                      (long long)column->max_elements);
  }
  *out = (tarei_h5_sample){.number = v->data.number,
                           .rank = 1,
                           .dims = {(int64_t)row->len},
                           .count = (int64_t)row->len,
                           .values = row->p};
  return TARE_OK;
}

const tarei_layout tarei_layout_vlen = {
    .looks_for = "a vlen data set '<name>'",
    .bind = vlen_bind,
    .read = vlen_read,
    .close = vlen_close,
};
