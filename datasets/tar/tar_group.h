/*
 * Samples of a tar shard: adjacent members whose names agree up to the first dot after the last
 * slash, as WebDataset has them. What follows that dot is the member's extension.
 */
#ifndef TAREI_DATASETS_TAR_TAR_GROUP_H
#define TAREI_DATASETS_TAR_TAR_GROUP_H

#include "base/source.h"
#include "datasets/data_spec.h"
#include "datasets/tar/tar_file.h"

/* What a member is good for. */
typedef enum tarei_member_kind {
  TAREI_MEMBER_OTHER,
  TAREI_MEMBER_LABEL, /* label text, or an object that may have it */
  TAREI_MEMBER_AUDIO,
  TAREI_MEMBER_ARRAY,
  TAREI_MEMBER_ARCHIVE, /* of arrays */
} tarei_member_kind;

typedef struct tarei_member {
  char *extension;
  tarei_member_kind kind;
  uint8_t *bytes; /* NULL where contents were not asked for */
  size_t size;
} tarei_member;

typedef struct tarei_group {
  char *key;
  tarei_member *members; /* without those of other kinds */
  size_t n, capacity;
  bool audio; /* the samples of the shard are audio */
} tarei_group;

void tarei_group_fini(tarei_group *group);

/* Whether it has a member of this kind. */
bool tarei_group_has(const tarei_group *group, tarei_member_kind kind);

/* The groups of a shard in order. */
typedef struct tarei_groups {
  const tarei_data_spec *spec;
  tarei_tar_file *tar;
  tarei_tar_member next; /* of the group after the last one */
  bool pending, ended;
} tarei_groups;

tare_status tarei_groups_open(tarei_groups *groups, const char *path, const tarei_data_spec *spec,
                              tare_error *err);
void tarei_groups_close(tarei_groups *groups);

/* Gives the next group that has data, with or without the contents of its members; `out` must be
 * zeroed, free it with tarei_group_fini either way. *more is false at the end. TARE_E_INPUT: the
 * archive is malformed, a member is too large, or an extension is there twice. */
tare_status tarei_groups_next(tarei_groups *groups, bool contents, tarei_group *out, bool *more,
                              tare_error *err);

#endif
