/*
 * The inside of calibration tables, and how one is built; format.h has their files.
 *
 * Build: tarei_table_new, set the texts, add profiles and tensors, warn, then tarei_table_finish,
 * which sorts and checks. A table is read-only from then on.
 */
#ifndef TAREI_GRAPH_TABLE_TABLE_H
#define TAREI_GRAPH_TABLE_TABLE_H

#include <tare/table.h>

#include "base/error.h"
#include "base/str.h"
#include "base/source.h"
#include "graph/table/extras.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

/* One tensor in one column. */
typedef struct tarei_cell {
  double amax;     /* threshold; 0 for a dead tensor */
  double min, max; /* NAN where not known */
  int64_t count;
  double energy_lost; /* NAN where not known */
  double static_loss; /* what 8 bits cost a row with this scale, and with a scale of its own */
  double row_loss;    /* (docs/numerics.md, "Predicted loss"); NAN where not known */
  double rms;         /* of the elements; NAN where not known */
  double rows;        /* of a sample, on average; NAN where not known */
} tarei_cell;

typedef struct tarei_table_profile {
  char *spec;
  int64_t samples;
  tarei_extras extras;
} tarei_table_profile;

typedef struct tarei_table_tensor {
  char *name;
  char *same_as;     /* tensor that holds the same values in another order, or NULL */
  tarei_cell *cells; /* [n_columns] */
  int place;         /* how many tensors were added before it */
  tarei_extras extras;
} tarei_table_tensor;

struct tare_table {
  int minor; /* of the format, as read */
  char *method;
  tarei_extras parameters; /* of the method: key and JSON value */
  char *model_name;        /* "" where not known */
  uint64_t model_hash;
  char *fit, *pad_stats;  /* "" where not known */
  char *gain_range;       /* of the data; "" without one, or not known */
  char *layer_precisions; /* requests by name that builds follow; "" without any */
  int n_raised;           /* how many they are */
  bool per_profile;       /* one column per profile, else one for all */
  int n_columns;
  tarei_table_profile *profiles;
  int n_profiles;
  size_t cap_profiles;
  tarei_table_tensor *tensors;
  int n_tensors;
  size_t cap_tensors;
  tarei_roundings roundings; /* of layers with int8 weights */
  tarei_smoothings smoothings;
  tarei_numbers numbers[TAREI_NUMBERS_COUNT];
  char **warnings;
  int n_warnings;
  size_t cap_warnings;
  tarei_extras extras, model_extras, version_extras;
};

/* The same table with other requests for layers. All belongs to the table and the caller: not to be
 * freed. */
tare_table tarei_table_asking(const tare_table *table, char *layer_precisions);

/* Smallest amax whose scale amax / 127 is a normal float. */
double tarei_table_least_amax(void);

/* A number that was float32 before text, or a division by 127, rounded it: up to four units beyond
 * the largest float it is that one, of either sign. Masks of transformers are that large. */
double tarei_table_in_float(double value);

tarei_cell tarei_cell_unknown(double amax); /* of which only the threshold is known */

tare_status tarei_table_new(const char *method, int n_columns, tare_table **out, tare_error *err);
/* Replaces a text of the table by a copy. */
tare_status tarei_table_set_text(char **slot, const char *text, tare_error *err);
tare_status tarei_table_add_profile(tare_table *table, const char *spec, int64_t samples,
                                    tare_error *err);
/* Copies cells[n_columns]; same_as may be NULL. The new tensor is the last one. */
tare_status tarei_table_add_tensor(tare_table *table, const char *name, const char *same_as,
                                   const tarei_cell *cells, tare_error *err);
tare_status tarei_table_warn(tare_table *table, tare_error *err, const char *fmt, ...)
    TAREI_PRINTF(3, 4);
/* Members of the table that keep what only one format has a place for: the version of TensorRT, and
 * the lines of ncnn's table. */
#define TAREI_KEPT_VERSION "trt_version"
#define TAREI_KEPT_NCNN "ncnn"

/* JSON text of a member, NULL where there is none. */
const char *tarei_extras_find(const tarei_extras *extras, const char *key);
tare_status tarei_extras_add(tarei_extras *extras, const char *key, const char *json,
                             tare_error *err);
/* Adds a number to an object of extras, written as the table's numbers are. */
tare_status tarei_extras_add_number(tarei_extras *extras, const char *key, double value,
                                    tare_error *err);

/* What a text format writes of a tensor. */
typedef tare_status tarei_table_put_fn(tarei_str *to, const tarei_table_tensor *tensor, int column,
                                       tare_error *err);
/* Appends what `put` writes of all tensors in this order, with the separator between them. */
tare_status tarei_table_put_all(const tare_table *table, int column, const char *separator,
                                tarei_table_put_fn *put, tarei_str *to, tare_error *err);
/* Writes the text to a file, unless `status` is a failure already; frees the text. */
tare_status tarei_table_save_text(tare_status status, tarei_str *text, const char *path,
                                  tare_error *err);

/* Sorts the tensors and the roundings. TARE_E_INPUT "what: ..." when a name is duplicated. */
tare_status tarei_table_finish(tare_table *table, const char *what, tare_error *err);

/* Text of a number that reads back as the same number; at least 32 bytes. */
void tarei_table_print_number(double value, char *text, size_t size);
/* The number that this wrote, once its text is read: nine digits stand for the float nearest to
 * them. */
double tarei_table_widen(double value);

/* Reads a file of any format; its name stands in messages. */
tare_status tarei_table_read_source(const tarei_source *source, tare_table **out, tare_error *err);

#endif
