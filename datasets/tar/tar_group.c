#include "datasets/tar/tar_group.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "datasets/audio/container.h"
#include "datasets/reader.h"

enum { MOST_MEMBERS = 256, ELEMENT_BYTES = 8, HEADER_BYTES = 1 << 16 };

void tarei_group_fini(tarei_group *const group) {
  for (size_t i = 0; i < group->n; i++) {
    free(group->members[i].extension);
    free(group->members[i].bytes);
  }
  free(group->members);
  free(group->key);
  *group = (tarei_group){0};
}

bool tarei_group_has(const tarei_group *const group, const tarei_member_kind kind) {
  for (size_t i = 0; i < group->n; i++) {
    if (group->members[i].kind == kind) {
      return true;
    }
  }
  return false;
}

static bool group_has_data(const tarei_group *const group) {
  return tarei_group_has(group, TAREI_MEMBER_AUDIO) || tarei_group_has(group, TAREI_MEMBER_ARRAY) ||
         tarei_group_has(group, TAREI_MEMBER_ARCHIVE);
}

/* --- names ------------------------------------------------------------------------------------ */

/* Bytes of the key: up to the first dot after the last slash, which hidden files begin with. */
static size_t key_length(const char *const name) {
  const char *const slash = strrchr(name, '/');
  const char *const base = slash ? slash + 1 : name;
  return (size_t)(base - name) + strcspn(base, ".");
}

static bool is_hidden(const char *const name) {
  const size_t n = key_length(name);
  return n == 0 || name[n - 1] == '/';
}

/* The extension of a member: "" if it has none. */
static const char *extension_of(const char *const name) {
  const char *const end = name + key_length(name);
  return *end ? end + 1 : end;
}

/* The text after the last dot. */
static const char *last_part(const char *const extension) {
  const char *const dot = strrchr(extension, '.');
  return dot ? dot + 1 : extension;
}

static tarei_member_kind member_kind_of(const tarei_data_spec *const spec,
                                        const char *const extension) {
  const char *const last = last_part(extension);
  if (spec->labels && (strcmp(extension, spec->labels) == 0 || strcmp(extension, "json") == 0)) {
    return TAREI_MEMBER_LABEL;
  }
  for (int i = 0; tarei_audio_extensions[i]; i++) {
    if (strcasecmp(last, tarei_audio_extensions[i]) == 0) {
      return TAREI_MEMBER_AUDIO;
    }
  }
  return strcasecmp(last, "npy") == 0   ? TAREI_MEMBER_ARRAY
         : strcasecmp(last, "npz") == 0 ? TAREI_MEMBER_ARCHIVE
                                        : TAREI_MEMBER_OTHER;
}

/* --- groups ----------------------------------------------------------------------------------- */

tare_status tarei_groups_open(tarei_groups *const groups, const char *const path,
                              const tarei_data_spec *const spec, tare_error *const err) {
  *groups = (tarei_groups){.spec = spec};
  return tarei_tar_file_open(path, &groups->tar, err);
}

void tarei_groups_close(tarei_groups *const groups) {
  tarei_tar_file_close(groups->tar);
  *groups = (tarei_groups){0};
}

/* The largest tensor that an input may have, in the widest type. */
static tare_status check_size(const tarei_groups *const groups, tare_error *const err) {
  const int64_t most = groups->spec->limits.elements * ELEMENT_BYTES + HEADER_BYTES;
  return groups->next.bytes <= most
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "member '%s' has %lld bytes, more than the %lld that max-elements allows",
                          groups->next.name, (long long)groups->next.bytes, (long long)most);
}

static tare_status read_contents(const tarei_groups *const groups, tarei_member *const member,
                                 tare_error *const err) {
  TAREI_TRY(check_size(groups, err));
  member->size = (size_t)groups->next.bytes;
  member->bytes = tarei_alloc_aligned(member->size, 1);
  return member->bytes ? tarei_tar_file_read(groups->tar, &groups->next, member->bytes, err)
                       : tarei_fail_memory(err, groups->next.name, member->size);
}

static tare_status group_check_new(const tarei_group *const group, const char *const extension,
                                   tare_error *const err) {
  for (size_t i = 0; i < group->n; i++) {
    if (strcmp(group->members[i].extension, extension) == 0) {
      return tarei_fail(err, TARE_E_INPUT, "duplicate member '%s.%s'", group->key, extension);
    }
  }
  return group->n < MOST_MEMBERS
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "sample '%s' has more than %d members", group->key,
                          MOST_MEMBERS);
}

/* Takes the member that comes next into the group. */
static tare_status group_add(const tarei_groups *const groups, const bool contents,
                             tarei_group *const group, tare_error *const err) {
  const char *const extension = extension_of(groups->next.name);
  tarei_member member = {.kind = member_kind_of(groups->spec, extension)};
  if (member.kind == TAREI_MEMBER_OTHER) {
    return TARE_OK;
  }
  TAREI_TRY(group_check_new(group, extension, err));
  member.extension = tarei_strdup(extension);
  if (!member.extension || !TAREI_GROW(group->members, group->n, group->capacity)) {
    free(member.extension);
    return tarei_fail_memory(err, groups->next.name, strlen(groups->next.name));
  }
  group->members[group->n++] = member;
  return contents ? read_contents(groups, &group->members[group->n - 1], err) : TARE_OK;
}

static tare_status groups_advance(tarei_groups *const groups, tare_error *const err) {
  do {
    TAREI_TRY(tarei_tar_file_next(groups->tar, &groups->next, &groups->pending, err));
  } while (groups->pending && is_hidden(groups->next.name));
  groups->ended = !groups->pending;
  return TARE_OK;
}

static bool belongs(const tarei_groups *const groups, const tarei_group *const group) {
  const size_t n = key_length(groups->next.name);
  return strlen(group->key) == n && strncmp(group->key, groups->next.name, n) == 0;
}

/* All members of the group that begins with the one that comes next. */
static tare_status gather(tarei_groups *const groups, const bool contents, tarei_group *const out,
                          tare_error *const err) {
  out->key = tarei_strndup(groups->next.name, key_length(groups->next.name));
  if (!out->key) {
    return tarei_fail_memory(err, groups->next.name, strlen(groups->next.name));
  }
  while (groups->pending && belongs(groups, out)) {
    TAREI_TRY(group_add(groups, contents, out, err));
    TAREI_TRY(groups_advance(groups, err));
  }
  return TARE_OK;
}

tare_status tarei_groups_next(tarei_groups *const groups, const bool contents,
                              tarei_group *const out, bool *const more, tare_error *const err) {
  *more = false;
  if (!groups->pending && !groups->ended) {
    TAREI_TRY(groups_advance(groups, err));
  }
  while (groups->pending) {
    TAREI_TRY(gather(groups, contents, out, err));
    if (group_has_data(out)) {
      *more = true;
      return TARE_OK;
    }
    tarei_group_fini(out);
  }
  return TARE_OK;
}
