/* Tar shards: the samples of a WebDataset, read in order without unpacking the archive to memory or
 * disk. */
#include <string.h>

#include "base/infile.h"
#include "base/mem.h"
#include "base/str.h"
#include "datasets/audio/recording.h"
#include "datasets/reader.h"
#include "datasets/tar/tar_sample.h"

typedef struct tar_shard {
  const tarei_data_spec *spec;
  char *path;
  int64_t count;
  bool audio;
  tarei_groups groups; /* of the samples that follow */
  int64_t next;        /* number of the sample that `groups` gives next */
  tarei_group last;    /* the one before, which other levels of the gain take again */
  tarei_str describe;
} tar_shard;

enum { MAGIC_AT = 257, HEAD_BYTES = 263 };

static bool begins_as_tar(const char *const path) {
  char head[HEAD_BYTES];
  return tarei_infile_head(path, head, sizeof head) == sizeof head &&
         memcmp(head + MAGIC_AT, "ustar", strlen("ustar")) == 0;
}

static void tar_close(void *const state) {
  tar_shard *const shard = state;
  if (shard) {
    tarei_groups_close(&shard->groups);
    tarei_group_fini(&shard->last);
    tarei_str_free(&shard->describe);
    free(shard->path);
    free(shard);
  }
}

/* The first sample decides what the shard holds. */
static tare_status count_groups(tar_shard *const shard, tarei_groups *const groups,
                                tare_error *const err) {
  for (bool more = true; more; shard->count += more) {
    tarei_group group = {0};
    const tare_status status = tarei_groups_next(groups, false /* contents */, &group, &more, err);
    if (status == TARE_OK && more && shard->count == 0) {
      shard->audio = tarei_tar_sample_is_audio(&group, shard->spec);
    }
    tarei_group_fini(&group);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

/* Passes over all members, and checks that the archive is complete. */
static tare_status tar_survey(tar_shard *const shard, tare_error *const err) {
  tarei_groups groups;
  TAREI_TRY(tarei_groups_open(&groups, shard->path, shard->spec, err));
  const tare_status status = count_groups(shard, &groups, err);
  tarei_groups_close(&groups);
  TAREI_TRY(status);
  if (shard->count == 0) {
    return tarei_fail(err, TARE_E_INPUT, "no member is audio or a NumPy array");
  }
  tarei_audio_ports ports;
  return shard->audio ? tarei_audio_ports_find(shard->path, shard->spec, &ports, err) : TARE_OK;
}

static tare_status tar_describe_it(tar_shard *const shard, tare_error *const err) {
  tarei_str_add(&shard->describe, "tar shards of %s", shard->audio ? "" : "NumPy arrays");
  if (shard->audio) {
    tarei_recording_describe(shard->spec, &shard->describe);
  }
  return shard->describe.failed ? tarei_fail_memory(err, shard->path, 0) : TARE_OK;
}

static tare_status tar_open(const char *const path, const tarei_data_spec *const spec,
                            const bool labels, void **const state, tare_error *const err) {
  (void)labels; /* of samples: those without one are bad */
  *state = NULL;
  tar_shard *const shard = tarei_calloc(1, sizeof *shard);
  if (!shard || !(shard->path = tarei_strdup(path))) {
    free(shard);
    return tarei_fail_memory(err, path, sizeof *shard);
  }
  shard->spec = spec;
  tare_status status = tar_survey(shard, err);
  if (status == TARE_OK) {
    status = tar_describe_it(shard, err);
  }
  if (status != TARE_OK) {
    tar_close(shard);
    return status == TARE_E_INPUT ? tarei_fail_in(err, status, "%s", path) : status;
  }
  *state = shard;
  return TARE_OK;
}

static int64_t tar_count(const void *const state) {
  return ((const tar_shard *)state)->count;
}

static const char *tar_describe(const void *const state) {
  return tarei_str_get(&((const tar_shard *)state)->describe);
}

static bool tar_holds_audio(const void *const state) {
  return ((const tar_shard *)state)->audio;
}

/* --- samples ---------------------------------------------------------------------------------- */

static tare_status tar_advance(tar_shard *const shard, const bool contents, tare_error *const err) {
  bool more = false;
  tarei_group_fini(&shard->last);
  const tare_status status = tarei_groups_next(&shard->groups, contents, &shard->last, &more, err);
  TAREI_TRY(status);
  shard->next++;
  return more ? TARE_OK
              : tarei_fail(err, TARE_E_INPUT, "the file changed: it has %lld samples, not %lld",
                           (long long)shard->next - 1, (long long)shard->count);
}

/* Goes on to sample i, from the beginning again if it lies behind. */
static tare_status tar_reach(tar_shard *const shard, const int64_t i, tare_error *const err) {
  if (!shard->groups.tar || i < shard->next) {
    tarei_groups_close(&shard->groups);
    shard->next = 0;
    TAREI_TRY(tarei_groups_open(&shard->groups, shard->path, shard->spec, err));
  }
  while (shard->next <= i) {
    TAREI_TRY(tar_advance(shard, shard->next == i /* contents */, err));
  }
  shard->last.audio = shard->audio;
  return TARE_OK;
}

static void free_group(void *const raw) {
  tarei_group_fini(raw);
  free(raw);
}

static tare_status tar_copy_members(const tarei_group *const from, tarei_group *const to,
                                    tare_error *const err) {
  for (size_t i = 0; i < from->n; i++) {
    const tarei_member *const m = &from->members[i];
    to->members[i] = (tarei_member){.extension = tarei_strdup(m->extension),
                                    .kind = m->kind,
                                    .bytes = tarei_memdup(m->bytes, m->size),
                                    .size = m->size};
    to->n++;
    if (!to->members[i].extension || !to->members[i].bytes) {
      return tarei_fail_memory(err, m->extension, m->size);
    }
  }
  return TARE_OK;
}

/* A copy for the thread that finishes the sample. */
static tare_status tar_copy(const tarei_group *const from, tarei_group **const out,
                            tare_error *const err) {
  tarei_group *const to = tarei_calloc(1, sizeof *to);
  if (!to) {
    return tarei_fail_memory(err, from->key, sizeof *to);
  }
  to->audio = from->audio;
  to->key = tarei_strdup(from->key);
  to->members = tarei_calloc(from->n, sizeof *to->members);
  const tare_status status = to->key && to->members
                                 ? tar_copy_members(from, to, err)
                                 : tarei_fail_memory(err, from->key, strlen(from->key));
  if (status != TARE_OK) {
    free_group(to);
    return status;
  }
  *out = to;
  return TARE_OK;
}

static tare_status tar_read(void *const state, const int64_t i, tarei_slot *const out,
                            tare_error *const err) {
  tar_shard *const shard = state;
  if (shard->next != i + 1 || !shard->last.key) {
    const tare_status status = tar_reach(shard, i, err);
    if (status != TARE_OK) {
      tarei_groups_close(&shard->groups); /* where it stands is not known */
      return status;
    }
  }
  tarei_group *group = NULL;
  TAREI_TRY(tar_copy(&shard->last, &group, err));
  out->raw = group;
  out->free_raw = free_group;
  return TARE_OK;
}

static tare_status tar_finish(const tarei_data_spec *const spec, tarei_slot *const out,
                              tare_error *const err) {
  const tare_status status = tarei_tar_sample_fill(out->raw, spec, out, err);
  free_group(out->raw);
  out->raw = NULL;
  return status;
}

static const char *const EXTENSIONS[] = {"tar",    "tgz",     "tar.gz", "tar.zst",
                                         "tar.xz", "tar.bz2", NULL};

const tarei_reader_ops tarei_reader_tar = {
    .name = "tar shard",
    .kind = {"a tar shard", false},
    .extensions = EXTENSIONS,
    .many = true,
    .labels = true,
    .recognises = begins_as_tar,
    .open = tar_open,
    .count = tar_count,
    .describe = tar_describe,
    .read = tar_read,
    .finish = tar_finish,
    .holds_audio = tar_holds_audio,
    .close = tar_close,
};
