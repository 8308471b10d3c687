#include "datasets/tar/tar_sample.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/audio/recording.h"
#include "datasets/json_object.h"
#include "datasets/labels/json_label.h"
#include "datasets/labels/label.h"
#include "datasets/numpy/array_set.h"
#include "datasets/numpy/npz.h"

/* The only member of a kind; NULL: there are none, or several. */
static const tarei_member *only_member(const tarei_group *const group,
                                       const tarei_member_kind kind) {
  const tarei_member *found = NULL;
  int n = 0;
  for (size_t i = 0; i < group->n; i++) {
    found = group->members[i].kind == kind ? &group->members[i] : found;
    n += group->members[i].kind == kind;
  }
  return n == 1 ? found : NULL;
}

static const tarei_member *member_named(const tarei_group *const group,
                                        const char *const extension) {
  for (size_t i = 0; i < group->n; i++) {
    if (strcmp(group->members[i].extension, extension) == 0) {
      return &group->members[i];
    }
  }
  return NULL;
}

static tare_status fail_member(const tarei_group *const group, const tarei_member *const member,
                               const tare_status status, tare_error *const err) {
  return tarei_fail_in(err, status, "member '%s.%s'", group->key, member->extension);
}

/* --- audio ------------------------------------------------------------------------------------ */

static tare_status fill_audio(const tarei_group *const group, const tarei_data_spec *const spec,
                              tarei_slot *const out, tare_error *const err) {
  const tarei_member *const member = only_member(group, TAREI_MEMBER_AUDIO);
  if (!member) {
    return tarei_fail(err, TARE_E_INPUT, "sample '%s' has several recordings: expected one",
                      group->key);
  }
  const tarei_source source = {.data = member->bytes, .size = member->size, .name = group->key};
  tarei_audio_ports ports;
  TAREI_TRY(tarei_audio_ports_find(group->key, spec, &ports, err));
  const tarei_recording_source recording = {
      .path = group->key, .memory = &source, .spec = spec, .ports = &ports};
  const tare_status status = tarei_recording_read(&recording, out, err);
  return status == TARE_OK ? TARE_OK : fail_member(group, member, status, err);
}

/* --- arrays ----------------------------------------------------------------------------------- */

enum { SUFFIX = 4 }; /* bytes of ".npy" */

/* The array's name: the extension without the last part; "" if it is "npy" alone. */
static char *array_name(const tarei_member *const member) {
  const size_t n = strlen(member->extension);
  return tarei_strndup(member->extension, n > SUFFIX ? n - SUFFIX : 0);
}

bool tarei_tar_sample_is_audio(const tarei_group *const group, const tarei_data_spec *const spec) {
  bool named = false;
  for (size_t m = 0; m < group->n; m++) {
    char *const name =
        group->members[m].kind == TAREI_MEMBER_ARRAY ? array_name(&group->members[m]) : NULL;
    for (int i = 0; name && i < spec->n_inputs; i++) {
      named = named || tarei_array_is_named(name, spec->inputs[i].name);
    }
    free(name);
  }
  return !named && tarei_group_has(group, TAREI_MEMBER_AUDIO);
}

/* "x.npy" alone feeds the only input. */
static tare_status add_array(tarei_array_set *const set, const tarei_member *const member,
                             tare_error *const err) {
  const tarei_packed packed = {
      .data = member->bytes, .packed_size = member->size, .size = member->size};
  char *const name = array_name(member);
  if (!name) {
    return tarei_fail_memory(err, member->extension, strlen(member->extension));
  }
  const tare_status status =
      tarei_array_set_add(set, *name ? name : set->spec->inputs[0].name, &packed, err);
  free(name);
  return status;
}

static tare_status add_archive(tarei_array_set *const set, const tarei_member *const member,
                               tare_error *const err) {
  const tarei_source source = {
      .data = member->bytes, .size = member->size, .name = member->extension};
  return tarei_npz_add(set, &source, err);
}

static tare_status add_arrays(const tarei_group *const group, tarei_array_set *const set,
                              tare_error *const err) {
  for (size_t i = 0; i < group->n; i++) {
    const tarei_member *const member = &group->members[i];
    const tare_status status = member->kind == TAREI_MEMBER_ARRAY ? add_array(set, member, err)
                               : member->kind == TAREI_MEMBER_ARCHIVE
                                   ? add_archive(set, member, err)
                                   : TARE_OK;
    if (status != TARE_OK) {
      return fail_member(group, member, status, err);
    }
  }
  TAREI_TRY(tarei_array_set_bind(set, err));
  return tarei_array_set_count(set) == 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "sample '%s' has arrays with %lld rows that are samples: expected one",
                          group->key, (long long)tarei_array_set_count(set));
}

static bool has_label_array(const tarei_group *const group, const char *const labels) {
  bool found = tarei_group_has(group, TAREI_MEMBER_ARCHIVE);
  for (size_t i = 0; i < group->n; i++) {
    char *const name =
        group->members[i].kind == TAREI_MEMBER_ARRAY ? array_name(&group->members[i]) : NULL;
    found = found || (name && strcmp(name, labels) == 0);
    free(name);
  }
  return found;
}

static tare_status fill_arrays(const tarei_group *const group, const tarei_data_spec *const spec,
                               const bool labels, tarei_slot *const out, tare_error *const err) {
  tarei_array_set *set = NULL;
  TAREI_TRY(tarei_array_set_new(spec, labels, group->key, &set, err));
  tare_status status = add_arrays(group, set, err);
  if (status == TARE_OK) {
    status = tarei_array_set_read(set, 0, out, err);
  }
  tarei_array_set_free(set);
  return status;
}

/* --- labels ----------------------------------------------------------------------------------- */

static size_t trimmed(const tarei_member *const member) {
  size_t n = member->size;
  while (n > 0 && strchr(" \t\r\n", member->bytes[n - 1]) && member->bytes[n - 1]) {
    n--;
  }
  return n;
}

static tare_status take_text(const tarei_member *const member, tarei_slot *const out,
                             tare_error *const err) {
  const size_t n = trimmed(member);
  if (memchr(member->bytes, '\0', n)) {
    return tarei_fail(err, TARE_E_INPUT, "holds a NUL byte: expected text");
  }
  out->label_text = tarei_strndup((const char *)member->bytes, n);
  return out->label_text ? TARE_OK : tarei_fail_memory(err, "a label", n);
}

static tare_status take_json(const tarei_member *const member, const char *const labels,
                             tarei_slot *const out, tare_error *const err) {
  cJSON *object = NULL;
  TAREI_TRY(tarei_json_object((const char *)member->bytes, member->size, &object, err));
  const tare_status status = tarei_json_label(object, labels, &out->label_text, err);
  cJSON_Delete(object);
  return status;
}

/* The member named by the option, or that value of the object in ".json". */
static tare_status fill_label(const tarei_group *const group, const char *const labels,
                              tarei_slot *const out, tare_error *const err) {
  const tarei_member *const text = member_named(group, labels);
  const tarei_member *const member = text ? text : member_named(group, "json");
  if (!member) {
    return tarei_fail(err, TARE_E_INPUT, "sample '%s' has no label: no member '%s.%s' or '%s.json'",
                      group->key, group->key, labels, group->key);
  }
  const tare_status status = text ? take_text(text, out, err) : take_json(member, labels, out, err);
  return status == TARE_OK ? tarei_label_from_text(out, err)
                           : fail_member(group, member, status, err);
}

tare_status tarei_tar_sample_fill(const tarei_group *const group, const tarei_data_spec *const spec,
                                  tarei_slot *const out, tare_error *const err) {
  const bool audio = tarei_tar_sample_is_audio(group, spec);
  const bool labels = spec->labels && !out->label_text;
  const bool arrays = labels && !audio && has_label_array(group, spec->labels);
  if (audio != group->audio) {
    return tarei_fail(err, TARE_E_INPUT,
                      "sample '%s' is %s, but the first sample of the shard is %s", group->key,
                      audio ? "audio" : "arrays", audio ? "arrays" : "audio");
  }
  if (labels && !arrays) {
    TAREI_TRY(fill_label(group, spec->labels, out, err));
  }
  return audio ? fill_audio(group, spec, out, err) : fill_arrays(group, spec, arrays, out, err);
}
