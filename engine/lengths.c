#include "engine/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/context_parts.h"

#define LINE 64 /* roots begin at cache lines, and bytes behind them are readable */
#define USUAL                                                                         \
  ((size_t)16 << 20) /* bytes that a context keeps at most, unless its user says more \
                      */
enum { ARENA = -1, UNKNOWN = -2 }; /* where the tensors are */

/* --- in a plan -------------------------------------------------------------------------------- */

static bool has_bodies(const tarei_node *const node) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH) {
      return true;
    }
  }
  return false;
}

static bool reads_only_lengths(const tarei_part *const part, const tarei_step *const step,
                               const bool *const follows) {
  bool only = !step->late && !has_bodies(step->node) && !step->node->op->draws;
  for (int i = 0; only && i < step->node->n_in; i++) {
    const int root = step->node->in[i] < 0 ? -1 : part->slots[step->node->in[i]].root;
    only = root < 0 || part->slots[root].storage == TAREI_STORE_CONST ||
           part->slots[root].from_shape || follows[root];
  }
  return only;
}

static void mark_steps(const tarei_part *const part, bool *const steps, bool *const follows) {
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    steps[s] = reads_only_lengths(part, &part->steps[s], follows);
    for (int o = 0; steps[s] && o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        follows[node->out[o]] = true;
      }
    }
  }
}

/* Whether a step only picks, repeats or fills in constants: to keep what it writes would take more
 * memory, and hardly less time. */
static bool only_copies(const tarei_part *const part, const tarei_step *const step,
                        const bool *const follows) {
  const tarei_node *const node = step->node;
  const int data = node->n_in > 0 ? node->in[0] : -1;
  const bool copies =
      node->op->movement || node->op->selects || node->op == &tarei_op_constant_of_shape;
  return copies && (data < 0 || !follows[part->slots[data].root]);
}

static bool is_read_outside(const tarei_part *const part, const bool *const steps, const int root) {
  bool outside = false;
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int i = 0; !steps[s] && i < node->n_in; i++) {
      outside |= node->in[i] >= 0 && part->slots[node->in[i]].root == root;
    }
  }
  for (int i = 0; i < part->graph->n_outputs; i++) {
    outside |= part->slots[part->graph->outputs[i]].root == root;
  }
  return outside;
}

/* Copies that others read are made in each run, and are in the arena; what follows from them is
 * still kept. */
static void leave_copies(const tarei_part *const part, bool *const steps, const bool *const follows,
                         bool *const copied) {
  for (int s = 0; s < part->n_steps; s++) {
    const int out = part->steps[s].node->out[0];
    copied[s] = steps[s] && out >= 0 && only_copies(part, &part->steps[s], follows) &&
                is_read_outside(part, steps, out);
  }
  for (int s = 0; s < part->n_steps; s++) {
    steps[s] &= !copied[s];
  }
}

/* From now on, `follows` says of which values the memory may be kept. */
static void forget_copies(const tarei_part *const part, const bool *const copied,
                          bool *const follows) {
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int o = 0; copied[s] && o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        follows[node->out[o]] = false;
      }
    }
  }
}

/* Adds the memory of a value that somebody reads beside the marked steps; numbers[root] is 1 + its
 * number, or 0. */
static bool add_root(const tarei_part *const part, tarei_lengths *const l,
                     const bool *const follows, int *const numbers, const int value) {
  const int root = value < 0 ? -1 : part->slots[value].root;
  if (root < 0 || !follows[root] || numbers[root]) {
    return true;
  }
  if (!TAREI_GROW(l->roots, l->n_roots, l->cap_roots)) {
    return false;
  }
  l->roots[l->n_roots++] = root;
  numbers[root] = l->n_roots;
  l->most = tarei_plus(l->most, tarei_plus(part->slots[root].bytes, LINE - 1) / LINE * LINE);
  return true;
}

static bool add_roots(const tarei_part *const part, tarei_lengths *const l,
                      const bool *const follows, int *const numbers) {
  bool ok = true;
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int i = 0; ok && !l->steps[s] && i < node->n_in; i++) {
      ok = add_root(part, l, follows, numbers, node->in[i]);
    }
  }
  for (int i = 0; ok && i < part->graph->n_outputs; i++) {
    ok = add_root(part, l, follows, numbers, part->graph->outputs[i]);
  }
  for (int v = 0; ok && v < part->graph->n_values; v++) {
    const int number =
        part->slots[v].storage == TAREI_STORE_NONE ? 0 : numbers[part->slots[v].root];
    if (number) {
      ok = TAREI_GROW(l->values, l->n_values, l->cap_values);
      if (ok) {
        l->values[l->n_values++] = (tarei_length_value){v, number - 1};
      }
    }
  }
  return ok;
}

tare_status tarei_lengths_find(tare_plan *const plan, tare_error *const err) {
  const tarei_part *const part = &plan->root;
  tarei_lengths *const l = &plan->lengths;
  const size_t n = (size_t)part->graph->n_values;
  bool *const follows = tarei_calloc(n, sizeof *follows);
  bool *const copied = tarei_calloc((size_t)part->n_steps, sizeof *copied);
  int *const numbers = tarei_calloc(n, sizeof *numbers);
  l->steps = tarei_calloc((size_t)part->n_steps, sizeof *l->steps);
  bool ok = follows && copied && numbers && l->steps;
  if (ok) {
    mark_steps(part, l->steps, follows);
    leave_copies(part, l->steps, follows, copied);
    forget_copies(part, copied, follows);
    ok = add_roots(part, l, follows, numbers);
  }
  free(follows);
  free(copied);
  free(numbers);
  return ok ? TARE_OK : tarei_fail_memory(err, "lengths", n * sizeof *numbers);
}

void tarei_lengths_fini(tarei_lengths *const l) {
  free(l->steps);
  free(l->roots);
  free(l->values);
  *l = (tarei_lengths){0};
}

size_t tarei_lengths_bytes(const tare_plan *const plan, const int64_t bound) {
  const size_t most = bound == 0 ? USUAL : bound < 0 ? 0 : (size_t)bound;
  const size_t wanted = tarei_times(plan->lengths.most, TAREI_KEPT_LENGTHS);
  return wanted < most ? wanted : most;
}

/* --- in a context ----------------------------------------------------------------------------- */

static size_t key_numbers(const tare_plan *const plan) {
  return (size_t)plan->n_symbols + 1;
}

/* A quarter of what the limit of memory leaves is enough for what could be computed again. */
static size_t within_limits(const tare_context *const c, const size_t bytes) {
  const size_t limit = (size_t)c->plan->root.graph->limits.memory;
  const size_t used = tarei_plus(c->plan->arena_bytes, c->scratch_bytes);
  const size_t left = used < limit ? (limit - used) / 4 : 0;
  return bytes < left ? bytes : left;
}

bool tarei_kept_make(tare_context *const c, const int64_t bound) {
  tarei_kept *const k = &c->kept;
  const size_t n = key_numbers(c->plan);
  k->current = ARENA;
  k->bytes = within_limits(c, tarei_lengths_bytes(c->plan, bound));
  if (k->bytes == 0) {
    return true;
  }
  k->memory = tarei_alloc_resident(k->bytes);
  k->keys = tarei_calloc(n * (TAREI_KEPT_LENGTHS + 1), sizeof *k->keys);
  if (!k->memory || !k->keys) {
    return false;
  }
  k->key = k->keys + n * TAREI_KEPT_LENGTHS;
  for (size_t i = 0; i < TAREI_KEPT_LENGTHS; i++) {
    k->lengths[i].key = k->keys + n * i;
  }
  return true;
}

void tarei_kept_fini(tarei_kept *const k) {
  free(k->memory);
  free(k->keys);
}

static size_t root_bytes(const tare_context *const c, const int root) {
  const tare_tensor *const t = &c->root.tensors[c->plan->lengths.roots[root]];
  const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
  return (bytes + LINE - 1) / LINE * LINE;
}

/* Whoever looks at tensors as they are computed sees every step run. */
static bool somebody_looks(const tare_context *const c) {
  return c->observe || c->watch || c->read;
}

/* Measured symbols are no lengths: nothing here depends on them. */
static void write_key(const tare_context *const c, int64_t *const key) {
  key[0] = c->profile;
  for (int s = 0; s < c->plan->n_symbols; s++) {
    key[s + 1] = c->plan->symbols[s] < 0 ? 0 : c->symbols[s];
  }
}

static int find_length(const tare_context *const c) {
  const tarei_kept *const k = &c->kept;
  for (int i = 0; i < k->n; i++) {
    if (memcmp(k->lengths[i].key, k->key, key_numbers(c->plan) * sizeof *k->key) == 0) {
      return i;
    }
  }
  return UNKNOWN;
}

static void drop_length(tarei_kept *const k, const int i) {
  const tarei_kept_length dropped = k->lengths[i];
  k->lengths[i] = k->lengths[--k->n];
  k->lengths[k->n] = dropped; /* its room for a key */
  k->current = UNKNOWN;
}

static void drop_oldest(tarei_kept *const k) {
  int oldest = 0;
  for (int i = 1; i < k->n; i++) {
    oldest = k->lengths[i].used < k->lengths[oldest].used ? i : oldest;
  }
  drop_length(k, oldest);
}

static bool is_free(const tarei_kept *const k, const size_t offset, const size_t bytes) {
  for (int i = 0; i < k->n; i++) {
    const tarei_kept_length *const l = &k->lengths[i];
    if (offset < l->offset + l->bytes && l->offset < offset + bytes) {
      return false;
    }
  }
  return offset + bytes <= k->bytes;
}

/* The first gap begins where the block does, or where a length ends. */
static bool find_gap(const tarei_kept *const k, const size_t bytes, size_t *const offset) {
  for (int i = -1; i < k->n; i++) {
    *offset = i < 0 ? 0 : k->lengths[i].offset + k->lengths[i].bytes;
    if (is_free(k, *offset, bytes)) {
      return true;
    }
  }
  return false;
}

/* Room for this length instead of those that were not used for longest. */
static int take_length(tare_context *const c) {
  tarei_kept *const k = &c->kept;
  size_t bytes = 0, offset;
  for (int r = 0; r < c->plan->lengths.n_roots; r++) {
    bytes += root_bytes(c, r);
  }
  if (bytes > k->bytes) {
    return ARENA;
  }
  while (k->n == TAREI_KEPT_LENGTHS || !find_gap(k, bytes, &offset)) {
    drop_oldest(k);
  }
  tarei_kept_length *const l = &k->lengths[k->n];
  memcpy(l->key, k->key, key_numbers(c->plan) * sizeof *l->key);
  l->offset = offset;
  l->bytes = bytes;
  l->complete = false;
  k->current = UNKNOWN;
  return k->n++;
}

static char *place_of_root(const tare_context *const c, const int length, const int root) {
  if (length < 0) {
    return c->arena + c->plan->root.slots[c->plan->lengths.roots[root]].offset;
  }
  char *at = c->kept.memory + c->kept.lengths[length].offset;
  for (int r = 0; r < root; r++) {
    at += root_bytes(c, r);
  }
  return at;
}

static void point_tensors(tare_context *const c, const int length) {
  const tarei_lengths *const l = &c->plan->lengths;
  for (int i = 0; i < l->n_values; i++) {
    c->root.tensors[l->values[i].value].data = place_of_root(c, length, l->values[i].root);
  }
  c->kept.current = length;
}

void tarei_kept_begin(tare_context *const c) {
  tarei_kept *const k = &c->kept;
  if (!k->memory) {
    return;
  }
  int length = ARENA;
  if (!somebody_looks(c)) {
    write_key(c, k->key);
    length = find_length(c);
    length = length < 0 ? take_length(c) : length;
  }
  if (length != k->current) {
    point_tensors(c, length);
  }
  k->skips = length >= 0 && k->lengths[length].complete;
  if (length >= 0) {
    k->lengths[length].used = ++k->turn;
  }
}

void tarei_kept_end(tare_context *const c, const bool succeeded) {
  tarei_kept *const k = &c->kept;
  if (k->memory && k->current >= 0) {
    if (succeeded) {
      k->lengths[k->current].complete = true;
    } else if (!k->lengths[k->current].complete) {
      drop_length(k, k->current);
    }
  }
}
