/* Plan files (docs/formats.md): header, meta section, then data blocks at multiples of 64 bytes. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/infile.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "base/outfile.h"
#include "engine/file/graph_file.h"
#include "engine/file/plan_version.h"
#include "engine/layers/layers.h"
#include "engine/plan_ports.h"
#include "graph/fix_symbols.h"
#include "graph/pass.h"
#include "shapes/profiles.h"

#define MAGIC "TAREPLAN"
#define HEADER_BYTES 64u
#define SMALL_FILE ((size_t)16 << 20) /* so many bytes are held against their checksum at once */

typedef struct plan_file_header {
  uint32_t major, minor;
  uint64_t file_bytes, meta_bytes;
  uint64_t checksum, meta_checksum; /* XXH64 of everything behind the header; of the meta section */
} plan_file_header;

/* --- writing ---------------------------------------------------------------------------------- */

static void plan_file_put_header(tarei_writer *const w, const plan_file_header *const h) {
  tarei_put_bytes(w, MAGIC, 8);
  tarei_put_u32(w, h->major);
  tarei_put_u32(w, h->minor);
  tarei_put_u64(w, h->file_bytes);
  tarei_put_u64(w, h->meta_bytes);
  tarei_put_u64(w, h->checksum);
  tarei_put_u64(w, h->meta_checksum);
  static const char zeros[HEADER_BYTES];
  tarei_put_bytes(w, zeros, HEADER_BYTES - w->n);
}

static void put_profiles(tarei_writer *const w, const tare_profiles *const profiles) {
  const int n = tare_profiles_count(profiles);
  tarei_put_u32(w, (uint32_t)n);
  for (int p = 0; p < n; p++) {
    tarei_str text = {0};
    tarei_profiles_print(profiles, p, &text);
    w->failed |= text.failed;
    tarei_put_text(w, tarei_str_get(&text));
    tarei_str_free(&text);
  }
}

static void put_passes(tarei_writer *const w, const tarei_pass_log *const log) {
  tarei_put_u32(w, (uint32_t)log->n);
  for (int i = 0; i < log->n; i++) {
    tarei_put_text(w, log->passes[i].name);
    tarei_put_u32(w, log->passes[i].changed);
    tarei_put_u32(w, log->passes[i].removed);
  }
}

static void put_blocks(tarei_writer *const w, const tarei_blobs *const blobs,
                       uint64_t *const offset) {
  tarei_put_u32(w, (uint32_t)blobs->n);
  for (int i = 0; i < blobs->n; i++) {
    tarei_put_u64(w, *offset);
    tarei_put_u64(w, blobs->buffers[i]->size);
    *offset += tarei_round_up(blobs->buffers[i]->size, TAREI_ALIGN);
  }
}

/* The data region counts from its own start, so that the meta section's length does not matter. */
static void put_meta(tarei_writer *const w, const tare_plan *const plan,
                     tarei_blobs *const constants, uint64_t *const data_bytes) {
  tarei_writer graph = {0};
  tarei_graph_put(&graph, &plan->root, constants);
  w->failed |= graph.failed;
  tarei_put_u32(w, plan->isa);
  put_profiles(w, plan->profiles);
  put_passes(w, &plan->passes);
  *data_bytes = 0;
  put_blocks(w, &plan->blobs, data_bytes);
  put_blocks(w, constants, data_bytes);
  tarei_put_bytes(w, graph.data, graph.n);
  tarei_writer_fini(&graph);
  static const char zeros[TAREI_ALIGN];
  tarei_put_bytes(w, zeros, tarei_round_up(w->n, TAREI_ALIGN) - w->n);
}

typedef struct plan_file_sink {
  tarei_outfile *out;
  XXH64_state_t *hash;
} plan_file_sink;

static void plan_file_emit(const plan_file_sink *const s, const void *const data, const size_t n) {
  static const char zeros[TAREI_ALIGN];
  const size_t padding = tarei_round_up(n, TAREI_ALIGN) - n;
  tarei_outfile_write(s->out, data, n);
  tarei_outfile_write(s->out, zeros, padding);
  (void)XXH64_update(s->hash, data, n);
  (void)XXH64_update(s->hash, zeros, padding);
}

static void emit_blocks(const plan_file_sink *const s, const tarei_blobs *const blobs) {
  for (int i = 0; i < blobs->n; i++) {
    plan_file_emit(s, blobs->buffers[i]->data, blobs->buffers[i]->size);
  }
}

static tare_status load_source(tarei_source *source, const tare_limits *limits, tare_plan **out,
                               tare_error *err);

/* A plan that does not load is never handed out. */
static tare_status check_written(const tarei_outfile *const out, const tare_limits *const limits,
                                 tare_error *const err) {
  tarei_source source;
  tare_plan *plan;
  TAREI_TRY(tarei_outfile_check(out, err));
  TAREI_TRY(tarei_source_map(out->fd, out->path, &source, err));
  const tare_status status = load_source(&source, limits, &plan, err);
  tare_plan_free(&plan);
  return status == TARE_OK || status == TARE_E_MEMORY
             ? status
             : tarei_fail_in(err, TARE_E_UNSUPPORTED, "not written: the plan fails to load back");
}

static tare_status write_file(const tare_plan *const plan, const char *const path,
                              const tarei_writer *const meta, const tarei_blobs *const constants,
                              const uint64_t data_bytes, tare_error *const err) {
  XXH64_state_t *const hash = XXH64_createState();
  if (!hash) {
    return tarei_fail_memory(err, path, sizeof(plan_file_header));
  }
  tarei_outfile out;
  tare_status status = tarei_outfile_open(path, &out, err);
  if (status != TARE_OK) {
    (void)XXH64_freeState(hash); /* never fails */
    return status;
  }
  const plan_file_sink s = {.out = &out, .hash = hash};
  static const char zeros[HEADER_BYTES];
  (void)XXH64_reset(hash, 0); /* nor does this */
  tarei_outfile_write(&out, zeros, HEADER_BYTES);
  plan_file_emit(&s, meta->data, meta->n);
  emit_blocks(&s, &plan->blobs);
  emit_blocks(&s, constants);
  const plan_file_header h = {.major = TAREI_PLAN_MAJOR,
                              .minor = TAREI_PLAN_MINOR,
                              .file_bytes = HEADER_BYTES + meta->n + data_bytes,
                              .meta_bytes = meta->n,
                              .checksum = XXH64_digest(hash),
                              .meta_checksum = XXH64(meta->data, meta->n, 0)};
  (void)XXH64_freeState(hash);
  tarei_writer w = {0};
  plan_file_put_header(&w, &h);
  if (w.failed) {
    tarei_writer_fini(&w);
    tarei_outfile_abort(&out);
    return tarei_fail_memory(err, path, HEADER_BYTES);
  }
  tarei_outfile_write_at(&out, 0, w.data, w.n);
  tarei_writer_fini(&w);
  status = check_written(&out, &plan->root.graph->limits, err);
  if (status != TARE_OK) {
    tarei_outfile_abort(&out);
    return status;
  }
  return tarei_outfile_commit(&out, err);
}

tare_status tare_plan_save(const tare_plan *const plan, const char *const path,
                           tare_error *const err) {
  tarei_blobs constants = {0};
  tarei_writer meta = {0};
  uint64_t data_bytes = 0;
  put_meta(&meta, plan, &constants, &data_bytes);
  const tare_status status = meta.failed
                                 ? tarei_fail_memory(err, path, meta.n)
                                 : write_file(plan, path, &meta, &constants, data_bytes, err);
  free(constants.buffers); /* the buffers themselves belong to the graph */
  tarei_writer_fini(&meta);
  return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status check_sum(const tarei_source *const source, const size_t bytes,
                             const uint64_t wanted, tare_error *const err) {
  const uint64_t sum = XXH64(source->data + HEADER_BYTES, bytes, 0);
  return sum == wanted
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "%s: corrupt: checksum %016llx, expected %016llx",
                          source->name, (unsigned long long)sum, (unsigned long long)wanted);
}

/* The data blocks of a large file are left alone unless `all` is to be checked: a plan starts
 * before its weights are read. */
static tare_status get_header(const tarei_source *const source, const bool all,
                              plan_file_header *const h, tare_error *const err) {
  if (source->size < 8 || memcmp(source->data, MAGIC, 8) != 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: not a plan file", source->name);
  }
  if (source->size < HEADER_BYTES) {
    return tarei_fail(err, TARE_E_INPUT, "%s: truncated: %zu bytes, less than the header of %u",
                      source->name, source->size, HEADER_BYTES);
  }
  tarei_reader r = {.data = source->data + 8, .n = HEADER_BYTES - 8};
  h->major = tarei_get_u32(&r);
  h->minor = tarei_get_u32(&r);
  h->file_bytes = tarei_get_u64(&r);
  h->meta_bytes = tarei_get_u64(&r);
  h->checksum = tarei_get_u64(&r);
  h->meta_checksum = tarei_get_u64(&r);
  if (h->major != TAREI_PLAN_MAJOR) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: plan format version %u.%u, expected %u: build the plan again",
                      source->name, h->major, h->minor, TAREI_PLAN_MAJOR);
  }
  if (h->file_bytes != source->size) {
    return tarei_fail(err, TARE_E_INPUT, "%s: truncated or extended: %zu bytes, expected %llu",
                      source->name, source->size, (unsigned long long)h->file_bytes);
  }
  if (h->meta_bytes > source->size - HEADER_BYTES || h->meta_bytes % TAREI_ALIGN != 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: malformed: the meta section of %llu bytes does not fit into the file",
                      source->name, (unsigned long long)h->meta_bytes);
  }
  TAREI_TRY(check_sum(source, (size_t)h->meta_bytes, h->meta_checksum, err));
  return all || source->size <= SMALL_FILE
             ? check_sum(source, source->size - HEADER_BYTES, h->checksum, err)
             : TARE_OK;
}

static bool get_blocks(tarei_reader *const r, tarei_mapped *const mapped, const size_t data_start,
                       tarei_blobs *const blobs) {
  const size_t room = mapped->source.size - data_start;
  const uint32_t n = tarei_get_count(r, 16);
  for (uint32_t i = 0; !r->failed && i < n; i++) {
    const uint64_t offset = tarei_get_u64(r), size = tarei_get_u64(r);
    if (r->failed || offset % TAREI_ALIGN || offset > room || size > room - offset ||
        !TAREI_GROW(blobs->buffers, blobs->n, blobs->capacity)) {
      return false;
    }
    tarei_buffer *const b =
        tarei_buffer_view(mapped, mapped->source.data + data_start + offset, size);
    if (!b) {
      return false;
    }
    blobs->buffers[blobs->n++] = b;
  }
  return !r->failed;
}

/* Texts of the profiles, which can be read as such only once the graph's inputs are known. */
typedef struct specs {
  char *texts[TARE_MAX_PROFILES];
  int n;
} specs;

static tare_status get_specs(tarei_reader *const r, specs *const out, tare_error *const err) {
  const uint32_t n = tarei_get_count(r, 4);
  if (r->failed || n < 1 || n > TARE_MAX_PROFILES) {
    return tarei_fail(err, TARE_E_INPUT, "the list of profiles is malformed");
  }
  while (!r->failed && out->n < (int)n) {
    out->texts[out->n++] = tarei_get_text(r);
  }
  return r->failed ? tarei_fail(err, TARE_E_INPUT, "a profile is malformed") : TARE_OK;
}

/* Names that differ, each with its counts. */
static tare_status get_passes(tarei_reader *const r, tarei_pass_log *const out,
                              tare_error *const err) {
  const uint32_t n = tarei_get_count(r, 12);
  for (uint32_t i = 0; !r->failed && i < n; i++) {
    char *const name = tarei_get_text(r);
    const int number = name ? tarei_pass_log_find(out, name) : -1;
    free(name);
    if (number != (int)i) {
      r->failed = true;
      break;
    }
    out->passes[i].changed = tarei_get_u32(r);
    out->passes[i].removed = tarei_get_u32(r);
  }
  return r->failed ? tarei_fail(err, TARE_E_INPUT, "the list of passes is malformed") : TARE_OK;
}

static tare_status make_profiles(tare_plan *const plan, const specs *const s,
                                 tare_error *const err) {
  TAREI_TRY(tare_profiles_new(plan->inputs, plan->root.graph->n_inputs, &plan->profiles, err));
  for (int i = 0; i < s->n; i++) {
    const tare_status status = tare_profiles_add(plan->profiles, s->texts[i], err);
    if (status != TARE_OK) { /* the file says it, not who uses it */
      return tarei_fail_in(err, status == TARE_E_USAGE ? TARE_E_INPUT : status, "profile %d", i);
    }
  }
  return TARE_OK;
}

static tare_status plan_file_infer(const tare_plan *const plan, tare_error *const err) {
  int n_fixed;
  (void)tarei_graph_mark_empty(plan->root.graph, plan->profiles); /* whether any is */
  TAREI_TRY(tarei_graph_fix_symbols(plan->root.graph, plan->profiles, &n_fixed, err));
  const tare_status status = tarei_graph_infer_settled(plan->root.graph, err);
  return status == TARE_OK || status == TARE_E_MEMORY || status == TARE_E_LIMIT
             ? status
             : tarei_fail_in(err, TARE_E_INPUT, "graph");
}

static tare_status plan_file_load(tare_plan *const plan, tarei_mapped *const mapped,
                                  const plan_file_header *const h, const tare_limits *const limits,
                                  tare_error *const err) {
  const size_t data_start = HEADER_BYTES + (size_t)h->meta_bytes;
  tarei_reader r = {.data = mapped->source.data + HEADER_BYTES, .n = (size_t)h->meta_bytes};
  tarei_blobs constants = {0};
  specs profiles = {0};
  tare_status status = TARE_OK;
  plan->isa = tarei_get_u32(&r);
  plan->blobs.loading = true;
  TAREI_TRY_GOTO(get_specs(&r, &profiles, err), done);
  TAREI_TRY_GOTO(get_passes(&r, &plan->passes, err), done);
  if (!get_blocks(&r, mapped, data_start, &plan->blobs) ||
      !get_blocks(&r, mapped, data_start, &constants)) {
    status = tarei_fail(err, TARE_E_INPUT, "the table of data blocks is malformed");
    goto done;
  }
  TAREI_TRY_GOTO(tarei_graph_get(&r, &constants, limits, &plan->root.graph, err), done);
  TAREI_TRY_GOTO(tarei_plan_make_inputs(plan, plan->root.graph, err), done);
  TAREI_TRY_GOTO(make_profiles(plan, &profiles, err), done);
  TAREI_TRY_GOTO(plan_file_infer(plan, err), done);
  TAREI_TRY_GOTO(tarei_plan_make_outputs(plan, err), done);
  TAREI_TRY_GOTO(tarei_plan_finish(plan, err), done);
  status = tarei_plan_describe_layers(plan, err);
done:
  tarei_blobs_fini(&constants);
  for (int i = 0; i < profiles.n; i++) {
    free(profiles.texts[i]);
  }
  return status;
}

/* Takes the source, also where it fails. */
static tare_status load_source(tarei_source *const source, const tare_limits *const limits,
                               tare_plan **const out, tare_error *const err) {
  *out = NULL;
  plan_file_header h = {0};
  tare_status status = get_header(source, false, &h, err);
  if (status != TARE_OK) {
    tarei_source_close(source);
    return status;
  }
  tarei_mapped *const mapped = tarei_mapped_new(source);
  if (!mapped) {
    status = tarei_fail_memory(err, source->name, sizeof *mapped);
    tarei_source_close(source);
    return status;
  }
  const unsigned refusals = tarei_refusals();
  tare_plan *plan = tarei_calloc(1, sizeof *plan);
  status = plan ? tarei_settle(refusals, plan_file_load(plan, mapped, &h, limits, err), "plan", err)
                : tarei_fail_memory(err, mapped->source.name, sizeof *plan);
  if (plan && status != TARE_OK) {
    status = tarei_fail_in(err, status, "%s", mapped->source.name);
    tare_plan_free(&plan);
  }
  tarei_mapped_release(mapped); /* the buffers keep it */
  *out = plan;
  return status;
}

tare_status tare_plan_load_with(const char *const path, const tare_load_options *const options,
                                tare_plan **const out, tare_error *const err) {
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_load_options, options, err));
  tare_limits limits;
  tare_limits_init(&limits);
  if (options && options->limits) {
    limits = *options->limits;
    TAREI_TRY(tarei_limits_check(&limits, err));
  }
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  return load_source(&source, &limits, out, err);
}

tare_status tare_plan_load(const char *const path, tare_plan **const out, tare_error *const err) {
  return tare_plan_load_with(path, NULL, out, err);
}

tare_status tare_plan_check_file(const char *const path, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  plan_file_header h = {0};
  const tare_status status = get_header(&source, true, &h, err);
  tarei_source_close(&source);
  return status;
}

bool tare_plan_is_plan_file(const char *const path) {
  return tarei_file_begins(path, MAGIC, strlen(MAGIC));
}
