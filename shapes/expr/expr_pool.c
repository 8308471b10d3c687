#include "shapes/expr/expr_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int tarei_term_compare(const tarei_term *const a, const tarei_term *const b) {
  if (a->degree != b->degree) {
    return a->degree - b->degree;
  }
  for (int i = 0; i < a->degree; i++) {
    if (a->atoms[i] != b->atoms[i]) {
      return a->atoms[i] < b->atoms[i] ? 1 : -1;
    }
  }
  return 0;
}

tarei_exprs *tarei_exprs_new(void) {
  tarei_exprs *const pool = tarei_calloc(1, sizeof *pool);
  if (!pool || !TAREI_GROW(pool->terms, 0, pool->cap_terms)) { /* 0 has no terms, but they begin */
    free(pool);
    return NULL;
  }
  memset(pool->node_heads, -1, sizeof pool->node_heads);
  memset(pool->atom_heads, -1, sizeof pool->atom_heads);
  return pool;
}

void tarei_exprs_free(tarei_exprs *const pool) {
  if (!pool) {
    return;
  }
  for (size_t i = 0; i < pool->n_symbols; i++) {
    free(pool->symbols[i].name);
  }
  free(pool->symbols);
  free(pool->nodes);
  free(pool->terms);
  free(pool->atoms);
  free(pool->names);
  free(pool);
}

static bool copy_symbols(const tarei_exprs *const pool, tarei_exprs *const copy) {
  copy->symbols = tarei_calloc(pool->cap_symbols, sizeof *copy->symbols);
  if (!copy->symbols) {
    return false;
  }
  for (; copy->n_symbols < pool->n_symbols; copy->n_symbols++) {
    const tarei_symbol *const from = &pool->symbols[copy->n_symbols];
    char *const name = tarei_strdup(from->name);
    if (!name) {
      return false;
    }
    copy->symbols[copy->n_symbols] = *from;
    copy->symbols[copy->n_symbols].name = name;
  }
  return true;
}

tarei_exprs *tarei_exprs_clone(const tarei_exprs *const pool) {
  tarei_exprs *const copy = tarei_memdup(pool, sizeof *pool);
  if (!copy) {
    return NULL;
  }
  copy->symbols = NULL;
  copy->n_symbols = 0;
  copy->nodes = tarei_memdup(pool->nodes, pool->cap_nodes * sizeof *pool->nodes);
  copy->terms = tarei_memdup(pool->terms, pool->cap_terms * sizeof *pool->terms);
  copy->atoms = tarei_memdup(pool->atoms, pool->cap_atoms * sizeof *pool->atoms);
  copy->names = tarei_memdup(pool->names, pool->cap_names * sizeof *pool->names);
  if (!copy->nodes || !copy->terms || !copy->atoms || (pool->names && !copy->names) ||
      !copy_symbols(pool, copy)) {
    tarei_exprs_free(copy);
    return NULL;
  }
  return copy;
}

int tarei_exprs_n_symbols(const tarei_exprs *const pool) {
  return (int)pool->n_symbols;
}

const char *tarei_exprs_symbol_name(const tarei_exprs *const pool, const int symbol) {
  assert(symbol >= 0 && (size_t)symbol < pool->n_symbols);
  return pool->symbols[symbol].name;
}

int tarei_exprs_find_symbol(const tarei_exprs *const pool, const char *const name) {
  for (size_t i = 0; i < pool->n_symbols; i++) {
    if (!pool->symbols[i].owner && !pool->symbols[i].dropped &&
        strcmp(pool->symbols[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

const tarei_term *tarei_exprs_terms(const tarei_exprs *const pool, const tarei_expr e,
                                    int *const n) {
  assert(e >= 0 && (size_t)e < pool->n_nodes);
  *n = pool->nodes[e].n;
  return pool->terms + pool->nodes[e].first;
}

void tarei_exprs_load(const tarei_exprs *const pool, const tarei_expr e, tarei_poly *const out) {
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &out->n);
  memcpy(out->terms, terms, (size_t)out->n * sizeof *terms);
}

bool tarei_expr_is_const(const tarei_exprs *const pool, const tarei_expr e, int64_t *const value) {
  if (e == TAREI_EXPR_NONE) {
    return false;
  }
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  if (n > 1 || (n == 1 && terms[0].degree > 0)) {
    return false;
  }
  *value = n ? terms[0].coefficient : 0;
  return true;
}

const tarei_atom *tarei_exprs_bare_atom(const tarei_exprs *const pool, const tarei_expr e) {
  int n;
  const tarei_term *const terms = tarei_exprs_terms(pool, e, &n);
  const bool bare = n == 1 && terms[0].degree == 1 && terms[0].coefficient == 1;
  return bare ? &pool->atoms[terms[0].atoms[0]] : NULL;
}

static uint32_t mix_hash(const uint32_t hash, const uint64_t value) {
  uint64_t x = (hash ^ value) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return (uint32_t)(x ^ (x >> 32));
}

static uint32_t hash_poly(const tarei_poly *const poly) {
  uint32_t hash = (uint32_t)poly->n;
  for (int i = 0; i < poly->n; i++) {
    const tarei_term *const t = &poly->terms[i];
    hash = mix_hash(hash, (uint64_t)t->coefficient);
    for (int k = 0; k < t->degree; k++) {
      hash = mix_hash(hash, (uint64_t)t->atoms[k]);
    }
  }
  return hash;
}

static bool same_terms(const tarei_term *const a, const tarei_term *const b, const int n) {
  for (int i = 0; i < n; i++) {
    if (a[i].coefficient != b[i].coefficient || tarei_term_compare(&a[i], &b[i]) != 0) {
      return false;
    }
  }
  return true;
}

/* What writing the polynomial out would take. The sums fit: terms, factors and weights are
 * limited. */
static void expr_pool_measure(const tarei_exprs *const pool, const tarei_poly *const poly,
                              tarei_expr_node *const node) {
  for (int i = 0; i < poly->n; i++) {
    node->weight++;
    for (int k = 0; k < poly->terms[i].degree; k++) {
      const tarei_atom *const atom = &pool->atoms[poly->terms[i].atoms[k]];
      node->weight += atom->weight;
      node->names = node->names || atom->names;
      node->depth = atom->depth > node->depth ? atom->depth : node->depth;
    }
  }
}

static bool append_terms(tarei_exprs *const pool, const tarei_poly *const poly) {
  for (int i = 0; i < poly->n; i++) {
    if (!TAREI_GROW(pool->terms, pool->n_terms + (size_t)i, pool->cap_terms)) {
      return false;
    }
    pool->terms[pool->n_terms + (size_t)i] = poly->terms[i];
  }
  return true;
}

tarei_expr tarei_exprs_intern(tarei_exprs *const pool, const tarei_poly *const poly) {
  const uint32_t hash = hash_poly(poly);
  int32_t *const head = &pool->node_heads[hash % TAREI_EXPR_BUCKETS];
  for (int32_t i = *head; i >= 0; i = pool->nodes[i].next) {
    const tarei_expr_node *const node = &pool->nodes[i];
    if (node->hash == hash && node->n == poly->n &&
        same_terms(pool->terms + node->first, poly->terms, poly->n)) {
      return i;
    }
  }
  tarei_expr_node node = {
      .first = pool->n_terms, .n = poly->n, .next = *head, .hash = hash, .name = TAREI_EXPR_NONE};
  expr_pool_measure(pool, poly, &node);
  if (pool->n_nodes >= TAREI_EXPR_MAX_NODES || poly->n > TAREI_EXPR_MAX_TERMS ||
      node.weight > TAREI_EXPR_MAX_WEIGHT ||
      !TAREI_GROW(pool->nodes, pool->n_nodes, pool->cap_nodes) || !append_terms(pool, poly)) {
    return TAREI_EXPR_NONE;
  }
  pool->nodes[pool->n_nodes] = node;
  pool->n_terms += (size_t)poly->n;
  *head = (int32_t)pool->n_nodes;
  return (tarei_expr)pool->n_nodes++;
}

static tarei_expr intern_atom_index(tarei_exprs *const pool, const int32_t index) {
  tarei_poly poly;
  poly.n = 1;
  poly.terms[0] = (tarei_term){.coefficient = 1, .degree = 1, .atoms = {index}};
  return tarei_exprs_intern(pool, &poly);
}

tarei_expr tarei_exprs_atom(tarei_exprs *const pool, const tarei_atom_kind kind, const int32_t a,
                            const int32_t b) {
  const uint32_t hash = mix_hash(mix_hash((uint32_t)kind, (uint64_t)a), (uint64_t)b);
  int32_t *const head = &pool->atom_heads[hash % TAREI_EXPR_BUCKETS];
  for (int32_t i = *head; i >= 0; i = pool->atoms[i].next) {
    const tarei_atom *const atom = &pool->atoms[i];
    if (atom->kind == kind && atom->a == a && atom->b == b) {
      return intern_atom_index(pool, i);
    }
  }
  tarei_atom atom = {.kind = kind, .a = a, .b = b, .next = *head, .weight = 1};
  if (kind == TAREI_ATOM_NAME) {
    atom.names = true;
  } else if (kind != TAREI_ATOM_SYMBOL) {
    const tarei_expr_node *const na = &pool->nodes[a], *const nb = &pool->nodes[b];
    atom.weight += na->weight + nb->weight;
    atom.depth = 1 + (na->depth > nb->depth ? na->depth : nb->depth);
    atom.names = na->names || nb->names;
  }
  if (pool->n_atoms >= TAREI_EXPR_MAX_NODES || atom.weight >= TAREI_EXPR_MAX_WEIGHT ||
      !TAREI_GROW(pool->atoms, pool->n_atoms, pool->cap_atoms)) {
    return TAREI_EXPR_NONE;
  }
  pool->atoms[pool->n_atoms] = atom;
  *head = (int32_t)pool->n_atoms;
  return intern_atom_index(pool, (int32_t)pool->n_atoms++);
}

/* Takes the name over, also on failure. */
static tarei_expr add_symbol(tarei_exprs *const pool, const tarei_symbol *const symbol) {
  if (!symbol->name || !TAREI_GROW(pool->symbols, pool->n_symbols, pool->cap_symbols)) {
    free(symbol->name);
    return TAREI_EXPR_NONE;
  }
  pool->symbols[pool->n_symbols] = *symbol;
  return tarei_exprs_atom(pool, TAREI_ATOM_SYMBOL, (int32_t)pool->n_symbols++, 0);
}

tarei_expr tarei_expr_symbol(tarei_exprs *const pool, const char *const name) {
  const int symbol = tarei_exprs_find_symbol(pool, name);
  return symbol < 0 ? add_symbol(pool, &(tarei_symbol){.name = tarei_strdup(name)})
                    : tarei_exprs_atom(pool, TAREI_ATOM_SYMBOL, symbol, 0);
}

tarei_expr tarei_expr_new_symbol(tarei_exprs *const pool, const char *const name) {
  tarei_str own = {0};
  tarei_str_add(&own, "%s", name);
  while (!own.failed && tarei_exprs_find_symbol(pool, tarei_str_get(&own)) >= 0) {
    tarei_str_add(&own, "_");
  }
  const tarei_expr symbol =
      own.failed ? TAREI_EXPR_NONE : tarei_expr_symbol(pool, tarei_str_get(&own));
  tarei_str_free(&own);
  return symbol;
}

bool tarei_exprs_rename(tarei_exprs *const pool, const int symbol, const char *const name) {
  assert(symbol >= 0 && (size_t)symbol < pool->n_symbols && !pool->symbols[symbol].owner);
  assert(tarei_exprs_find_symbol(pool, name) < 0);
  char *const copy = tarei_strdup(name);
  if (!copy) {
    return false;
  }
  free(pool->symbols[symbol].name);
  pool->symbols[symbol].name = copy;
  return true;
}

void tarei_exprs_drop(tarei_exprs *const pool, const int symbol) {
  assert(symbol >= 0 && (size_t)symbol < pool->n_symbols && !pool->symbols[symbol].owner);
  pool->symbols[symbol].dropped = true;
}

bool tarei_exprs_is_dropped(const tarei_exprs *const pool, const int symbol) {
  return pool->symbols[symbol].dropped;
}

void tarei_exprs_may_be_empty(tarei_exprs *const pool, const int symbol) {
  assert(symbol >= 0 && (size_t)symbol < pool->n_symbols);
  pool->symbols[symbol].empty = true;
  pool->may_be_empty = true;
  for (size_t i = 0; i < pool->n_symbols; i++) { /* nothing slides over nothing */
    pool->symbols[i].least = 0;
  }
}

bool tarei_exprs_raise_least(tarei_exprs *const pool, const int symbol, const int64_t least) {
  assert(symbol >= 0 && (size_t)symbol < pool->n_symbols);
  tarei_symbol *const s = &pool->symbols[symbol];
  const bool raises = !pool->may_be_empty && least > 1 && least > s->least;
  s->least = raises ? least : s->least;
  return raises;
}

bool tarei_exprs_doubts(const tarei_exprs *const pool) {
  return pool->doubts;
}

void tarei_exprs_set_reading(tarei_exprs *const pool, const bool reads) {
  pool->reads = reads;
}

int32_t tarei_exprs_new_owner(tarei_exprs *const pool) {
  assert(pool->last_owner < INT32_MAX);
  return ++pool->last_owner;
}

bool tarei_exprs_keep_owner(tarei_exprs *const pool, const int32_t owner) {
  if (owner < 1 || owner > TAREI_EXPR_MAX_OWNER) {
    return false;
  }
  pool->last_owner = owner > pool->last_owner ? owner : pool->last_owner;
  return true;
}

int tarei_exprs_find_measured(const tarei_exprs *const pool, const int32_t owner, const int k) {
  assert(owner > 0);
  for (size_t i = 0; i < pool->n_symbols; i++) {
    if (pool->symbols[i].owner == owner && pool->symbols[i].number == k) {
      return (int)i;
    }
  }
  return -1;
}

tarei_expr tarei_exprs_measured(tarei_exprs *const pool, const int32_t owner,
                                const char *const name, const int k) {
  const int symbol = tarei_exprs_find_measured(pool, owner, k);
  if (symbol < 0) {
    return add_symbol(pool,
                      &(tarei_symbol){.name = tarei_strdup(name), .owner = owner, .number = k});
  }
  tarei_symbol *const s = &pool->symbols[symbol];
  if (s->expected) {
    char *const own = tarei_strdup(name);
    if (!own) {
      return TAREI_EXPR_NONE;
    }
    free(s->name);
    s->name = own;
    s->expected = false;
  }
  return tarei_exprs_atom(pool, TAREI_ATOM_SYMBOL, symbol, 0);
}

tarei_expr tarei_exprs_expected(tarei_exprs *const pool, const int32_t owner, const int k) {
  const int symbol = tarei_exprs_find_measured(pool, owner, k);
  return symbol < 0 ? add_symbol(pool, &(tarei_symbol){tarei_strdup(""), owner, k, true, false, 0})
                    : tarei_exprs_atom(pool, TAREI_ATOM_SYMBOL, symbol, 0);
}

bool tarei_exprs_is_measured(const tarei_exprs *const pool, const int symbol) {
  return pool->symbols[symbol].owner != 0;
}

int tarei_exprs_measured_number(const tarei_exprs *const pool, const int symbol,
                                const int32_t owner) {
  const tarei_symbol *const s = &pool->symbols[symbol];
  return s->owner == owner && !s->expected ? s->number : -1;
}

int tarei_expr_is_symbol(const tarei_exprs *const pool, const tarei_expr e) {
  const tarei_atom *const atom = e == TAREI_EXPR_NONE ? NULL : tarei_exprs_bare_atom(pool, e);
  return atom && atom->kind == TAREI_ATOM_SYMBOL ? atom->a : -1;
}
