/*
 * Status codes and the error object.
 *
 * Every call that can fail returns a tare_status and takes a tare_error as its last argument.
 * The error belongs to the caller, may be NULL, and carries one sentence that names the object,
 * the value seen and the rule broken. There is no process-wide error state.
 */
#ifndef TARE_STATUS_H
#define TARE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TARE_API
#if defined(__GNUC__)
#define TARE_API __attribute__((visibility("default")))
#else
#define TARE_API
#endif
#endif

/* X(name, value, exit code of the command). Values are stable and never reused. */
#define TARE_STATUS_LIST(X)                                                      \
  X(OK, 0, 0)             /* success */                                          \
  X(E_CHECK, -1, 1)       /* a check or comparison failed */                     \
  X(E_USAGE, -2, 2)       /* wrong use of an option, flag or call */             \
  X(E_INPUT, -3, 3)       /* an input file or sample is missing or malformed */  \
  X(E_SHAPE, -4, 3)       /* a shape does not match the model or the profiles */ \
  X(E_MODEL, -5, 4)       /* the model is malformed */                           \
  X(E_UNSUPPORTED, -6, 4) /* the model needs something unsupported */            \
  X(E_IO, -7, 5)          /* reading or writing failed */                        \
  X(E_MEMORY, -8, 5)      /* out of memory */                                    \
  X(E_LIMIT, -9, 5)       /* a size limit was exceeded */

/** Result of a call: 0 is success, negative values are errors. */
typedef enum tare_status {
#define TARE_STATUS_ENUM(name, value, exit_code) TARE_##name = (value),
  TARE_STATUS_LIST(TARE_STATUS_ENUM)
#undef TARE_STATUS_ENUM
} tare_status;

#define TARE_ERROR_CAPACITY 4096

/** What went wrong. Zero-initialise it; a successful call leaves it alone. */
typedef struct tare_error {
  tare_status status;
  char message[TARE_ERROR_CAPACITY]; /* one sentence, no trailing newline */
} tare_error;

/**
 * Name of a status as it stands in this header, e.g. "E_INPUT".
 * @param status any value; an unknown one gives "E_?"
 * @return a static string, never NULL. Thread-safe.
 */
TARE_API const char *tare_status_name(tare_status status);

/**
 * Exit code that a command should end with for a status.
 * @param status any value; an unknown one gives 5
 * @return 0 good, 1 failed check, 2 wrong usage, 3 bad input, 4 unsupported model, 5 resource.
 */
TARE_API int tare_status_exit_code(tare_status status);

/**
 * The name that may have been meant by one that is unknown: the one that the fewest changes of a
 * letter lead to, where these are few for its length.
 * @param names n of them, none NULL
 * @return its index, or -1 where none is near. Thread-safe.
 */
TARE_API int tare_nearest_name(const char *name, const char *const *names, int n);

#ifdef __cplusplus
}
#endif
#endif
