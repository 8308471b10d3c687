/*
 * What statistics rest on: the samples that set the ranges of tensors, whether more samples would
 * move the ranges, and what is suspicious about tensors and profiles.
 */
#ifndef TARE_EVIDENCE_H
#define TARE_EVIDENCE_H

#include <tare/calib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sample by its contents: a hash of 128 bits of its tensors. */
typedef struct tare_sample_id {
  uint64_t high, low;
} tare_sample_id;

/**
 * Computes the identity under which statistics list a sample.
 * @param sample as tare_dataset_next returns it; with a gain range each level is a sample of its
 * own
 * @param n_inputs number of its tensors
 */
TARE_API tare_sample_id tare_sample_identify(const tare_sample *sample, int n_inputs);

/** Whether two identities are the same. */
TARE_API bool tare_sample_id_equal(tare_sample_id a, tare_sample_id b);

/**
 * Finds the samples that set the range of a tensor in a profile. Of several samples with the same
 * extreme it is the one with the smallest hash, whatever the order of the data.
 * @param tensor,profile numbers of both
 * @param min,max receive the samples
 * @return false if the tensor has no values there, or if the file, of a version before 2.4, does
 * not say
 */
TARE_API bool tare_stats_origin(const tare_stats *stats, int tensor, int profile,
                                tare_sample_id *min, tare_sample_id *max);

/** Most steps of tare_convergence. */
enum { TARE_CONVERGENCE_STEPS = 16 };

/** Ranges of a part of the samples, compared with those of all. */
typedef struct tare_convergence_step {
  int64_t samples;      /* of the part; each level of a gain range for itself */
  int n_near;           /* tensors whose largest magnitude is at least TARE_CONVERGENCE_NEAR of
                           that of all samples */
  const char *farthest; /* the tensor whose largest magnitude is the smallest part of that; belongs
                           to the statistics */
  double part;          /* which part, 0..1 */
} tare_convergence_step;

/** A range that reaches this part of the final one clips less than 1 dB. */
#define TARE_CONVERGENCE_NEAR 0.9

/** How ranges grew as samples were added: over parts of the samples that contain each other, chosen
 *  by the hashes of the samples. */
typedef struct tare_convergence {
  int n; /* steps; 0: there are no samples, or the file, of a version before 2.4, does not say */
  tare_convergence_step steps[TARE_CONVERGENCE_STEPS]; /* by samples; the last one has all */
  int n_tensors;                                       /* that are not zero in all samples */
  /** Samples of the first part, at most half of all, that brings 95 % of the tensors near their
   *  final ranges; 0: none does, and more samples are needed. */
  int64_t enough;
  void *reserved[4]; /* for later versions */
} tare_convergence;

/** Finds how the ranges of tensors, over all profiles, grew with the samples. */
TARE_API void tare_stats_convergence(const tare_stats *stats, tare_convergence *out);

/** Suspicious tensors and profiles. */
typedef struct tare_warnings tare_warnings;

/** One kind of suspicion. */
typedef struct tare_warning {
  const char *kind; /* static: "dead", "denormal", ... (docs/json.md) */
  const char *text; /* a sentence with the first names and a remedy */
  bool usual;       /* in sound models, and only worth knowing for other engines */
  int n_names;
  const char *const *names; /* of all tensors or profiles that it is about */
} tare_warning;

/**
 * Looks for what is suspicious in statistics.
 * @param out receives the warnings; free them with tare_warnings_free before the statistics, to
 * which names belong
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_warnings(const tare_stats *stats, tare_warnings **out,
                                         tare_error *err);

/** Frees warnings; clears the handle, which may hold NULL. */
TARE_API void tare_warnings_free(tare_warnings **warnings);

/** Number of warnings. */
TARE_API int tare_warnings_count(const tare_warnings *warnings);

/** A warning, which belongs to `warnings`. */
TARE_API const tare_warning *tare_warnings_get(const tare_warnings *warnings, int i);

#ifdef __cplusplus
}
#endif
#endif
