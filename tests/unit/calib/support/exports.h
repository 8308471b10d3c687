/* The two example models with tables of a few samples, and files that exports are written to. */
#ifndef TAREI_TESTS_UNIT_CALIB_SUPPORT_EXPORTS_H
#define TAREI_TESTS_UNIT_CALIB_SUPPORT_EXPORTS_H

#include <tare/tare.h>

/* A model with its table, and its float plan. */
typedef struct export_subject {
  const char *path, *profile;
  const char *data[2]; /* the second one may be NULL */
  int rate;
  double least_db; /* of any export beside the float model */
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *dataset;
  tare_table *table;
  tare_plan *plan;
} export_subject;

enum { N_EXPORT_SUBJECTS = 2, EXPORT_SAMPLES = 2 };
extern export_subject export_subjects[N_EXPORT_SUBJECTS];

/* Calibrates a model whose path, data, profile and rate are set. */
void export_open_subject(export_subject *s);
void export_close_subject(export_subject *s);

/* Group setup and teardown of cmocka. */
int export_open_subjects(void **state);
int export_close_subjects(void **state);

/* Fails the test with the message. */
void export_must(tare_status status, const tare_error *err);

/* The defaults, with the table of the subject. */
tare_export_options export_options_of(const export_subject *s);

/* The name of a new empty file, and the end of it and of what lies beside it. */
char *export_new_path(void);
void export_drop_path(char *path);

/* Writes the subject's model; counts its layers by form where `form` is not NULL. */
char *export_write(const export_subject *s, const tare_export_options *o, int64_t most,
                   const char *form, int *count);

void export_assert_same_files(const char *a, const char *b);

#endif
