/*
 * Which tensors of a model a calibration table names.
 */
#ifndef TARE_COVERAGE_H
#define TARE_COVERAGE_H

#include <tare/model.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a tensor is to a table and a model. The first three kinds are the activations of the model:
 *  float tensors that depend on its inputs. NAMED, STALE and OTHER are the entries of the table. */
typedef enum tare_cover {
  TARE_COVER_NAMED,   /* activation with an entry */
  TARE_COVER_MISSING, /* activation without one that a convolution or product reads */
  TARE_COVER_UNNAMED, /* other activation without one */
  TARE_COVER_STALE,   /* entry that names nothing in the model */
  TARE_COVER_OTHER,   /* entry of a constant, of integers, or of a tensor that TensorRT makes
                         itself, "(Unnamed Layer* 22) [Constant]_output" */
  TARE_COVER_COUNT
} tare_cover;

/** "named", "missing", ...; NULL out of range. */
TARE_API const char *tare_cover_name(int kind);

typedef struct tare_coverage tare_coverage;

/**
 * Compares a table with a model. Neither has to know of the other: the hash is not compared.
 * @param out receives the result, which needs neither of them; free it with tare_coverage_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_coverage_new(const tare_table *table, const tare_model *model,
                                       tare_coverage **out, tare_error *err);

/**
 * Frees a result.
 * @param coverage the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_coverage_free(tare_coverage **coverage);

/** Number of tensors of a kind; 0 if the kind is out of range. */
TARE_API int tare_coverage_n(const tare_coverage *coverage, int kind);

/** Name of a tensor, i = 0 .. tare_coverage_n - 1, in the order of the model or of the table; NULL
 *  out of range. It belongs to the result. */
TARE_API const char *tare_coverage_tensor(const tare_coverage *coverage, int kind, int i);

#ifdef __cplusplus
}
#endif
#endif
