/* Any permutation of axes, of elements of 1, 2, 4 or 8 bytes. Size-1 axes are dropped and
 * neighbours that stay together merged; then rows are copied, or 2-D tiles transposed. */
#include <string.h>

#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* bytes that are worth a claim */
#define STRIP 512               /* bytes: several lines of the input in a row */
#define WIDTH 512               /* bytes: several lines of the output in a row */
#define SQUARE 256              /* bytes of both, where neither may be many */
#define LINE 64                 /* bytes: kernels turn blocks of so many, in both directions */
#define STRIPS 4                /* for each thread, where there are enough rows */
#define SET 4096                /* bytes: lines so far apart have the same place in a cache */
#define SET_LINES 8             /* that stay there together */
#define ASIDE_ROWS 64           /* at most */

/* Output axes, outermost first, with the input's stride in elements. */
typedef struct transpose_layout {
  int n;
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK];
} transpose_layout;

static void transpose_read_perm(const tarei_step *const step, const int rank, int *const perm) {
  int n;
  const int64_t *const list = tarei_attr_ints(step->node, "perm", &n);
  for (int i = 0; i < rank; i++) {
    perm[i] = list && n == rank ? (int)list[i] : rank - 1 - i;
  }
}

static transpose_layout transpose_layout_of(const tarei_step *const step,
                                            const tare_tensor *const x) {
  int perm[TARE_MAX_RANK];
  size_t stride[TARE_MAX_RANK], next = 1;
  transpose_layout l = {0};
  transpose_read_perm(step, x->rank, perm);
  for (int d = x->rank - 1; d >= 0; d--) {
    stride[d] = next;
    next *= (size_t)x->dims[d];
  }
  for (int i = 0; i < x->rank; i++) {
    const size_t size = (size_t)x->dims[perm[i]], s = stride[perm[i]];
    if (size == 1) {
      continue;
    }
    if (l.n && l.stride[l.n - 1] == s * size) {
      l.size[l.n - 1] *= size;
      l.stride[l.n - 1] = s;
    } else {
      l.size[l.n] = size;
      l.stride[l.n++] = s;
    }
  }
  return l;
}

/* A last axis that stays where it is and has as many bytes as a wider element becomes one: pairs of
 * floats are elements of 8 bytes. Gives their bytes. */
static size_t transpose_widen(transpose_layout *const l, const size_t element) {
  const int last = l->n - 1;
  const size_t size = last > 0 ? l->size[last] : 1, bytes = size * element;
  if (last < 1 || l->stride[last] != 1 || (bytes != 2 && bytes != 4 && bytes != 8)) {
    return element;
  }
  l->n = last;
  for (int a = 0; a < last; a++) {
    l->stride[a] /= size;
  }
  return bytes;
}

/* An index of some axes, outermost first, with the elements that it skips of input and output. */
typedef struct transpose_walk {
  int n;
  size_t size[TARE_MAX_RANK], from_step[TARE_MAX_RANK], to_step[TARE_MAX_RANK];
  size_t at[TARE_MAX_RANK], from, to;
} transpose_walk;

static void walk_add(transpose_walk *const w, const size_t size, const size_t from_step,
                     const size_t to_step) {
  w->size[w->n] = size;
  w->from_step[w->n] = from_step;
  w->to_step[w->n++] = to_step;
}

static void walk_go_to(transpose_walk *const w, size_t index) {
  w->from = w->to = 0;
  for (int a = w->n - 1; a >= 0; a--) {
    w->at[a] = index % w->size[a];
    w->from += w->at[a] * w->from_step[a];
    w->to += w->at[a] * w->to_step[a];
    index /= w->size[a];
  }
}

/* How far the innermost axis goes on. */
static size_t walk_left(const transpose_walk *const w) {
  return w->n ? w->size[w->n - 1] - w->at[w->n - 1] : 1;
}

/* Goes on by at most that. */
static void walk_on(transpose_walk *const w, size_t by) {
  for (int a = w->n - 1; a >= 0; a--, by = 1) {
    w->at[a] += by;
    w->from += by * w->from_step[a];
    w->to += by * w->to_step[a];
    if (w->at[a] < w->size[a]) {
      return;
    }
    w->at[a] = 0;
    w->from -= w->size[a] * w->from_step[a];
    w->to -= w->size[a] * w->to_step[a];
  }
}

typedef struct copying {
  transpose_walk rows;
  const char *x;
  char *out;
  size_t element, row; /* bytes */
} copying;

/* Of most rows that are copied; a call of memcpy takes as long. */
static void copy_row(char *const to, const char *const from, const size_t n) {
  enum { PIECE = 16, MOST = 256 };
  if (n < PIECE || n > MOST) {
    memcpy(to, from, n);
    return;
  }
  for (size_t i = 0; i + PIECE <= n; i += PIECE) {
    memcpy(to + i, from + i, PIECE);
  }
  memcpy(to + n - PIECE, from + n - PIECE, PIECE);
}

static void transpose_row_range(const void *const user, const size_t first, const size_t end,
                                const int thread) {
  (void)thread;
  const copying *const c = user;
  transpose_walk w = c->rows;
  walk_go_to(&w, first);
  for (size_t r = first; r < end; r++, walk_on(&w, 1)) {
    copy_row(c->out + w.to * c->element, c->x + w.from * c->element, c->row);
  }
}

/* Rows that stay whole: the last output axis is contiguous in the input. They are copied in the
 * order of the input: reading ahead helps what is read, and what is written can wait. */
static void copy_rows(const transpose_layout *const l, const tarei_run *const run,
                      const size_t element) {
  copying c = {.x = run->in[0]->data,
               .out = run->out[0]->data,
               .element = element,
               .row = l->n ? l->size[l->n - 1] * element : element};
  const int last = l->n - 1;
  size_t rows = 1, stride[TARE_MAX_RANK];
  for (int a = last - 1; a >= 0; a--) {
    stride[a] = rows * l->size[last];
    rows *= l->size[a];
  }
  int order[TARE_MAX_RANK];
  for (int a = 0; a < last; a++) {
    int at = a;
    for (; at > 0 && l->stride[order[at - 1]] < l->stride[a]; at--) {
      order[at] = order[at - 1];
    }
    order[at] = a;
  }
  for (int i = 0; i < last; i++) {
    walk_add(&c.rows, l->size[order[i]], l->stride[order[i]], stride[order[i]]);
  }
  tarei_row_ranges(run, rows, c.row, LEAST, transpose_row_range, &c);
}

/* Each matrix is cut into strips of `height` rows, these into tiles of `width` columns. */
typedef struct tiling {
  transpose_walk matrices;
  tarei_turn turn; /* of a whole matrix */
  size_t strips, height, width;
  bool aside; /* rows meet in caches: tiles are turned elsewhere, and copied row by row */
  const tarei_run *run;
} tiling;

/* Rows that are turned aside: what they read stays in the first cache beside them. */
static size_t aside_height(const size_t element) {
  const size_t rows = SQUARE / element;
  return rows < ASIDE_ROWS ? rows : ASIDE_ROWS;
}

static void turn_aside(const tiling *const t, const tarei_turn *const tile) {
  char rows[ASIDE_ROWS * WIDTH];
  tarei_turn turn = *tile;
  turn.to = rows;
  turn.to_step = t->width;
  t->run->kernels->transpose(&turn);
  for (size_t i = 0; i < tile->rows; i++) {
    memcpy((char *)tile->to + i * tile->to_step * tile->element,
           rows + i * t->width * tile->element, tile->columns * tile->element);
  }
}

/* The next strips of a matrix, or as many matrices as follow evenly. */
static void turn_strips(const tiling *const t, const transpose_walk *const w, const size_t strip,
                        const size_t matrices) {
  const tarei_turn *const all = &t->turn;
  const size_t row = strip * t->height, left = all->rows - row;
  const char *const from = (const char *)all->from + (w->from + row) * all->element;
  char *const to = (char *)all->to + (w->to + row * all->to_step) * all->element;
  tarei_turn turn = *all;
  turn.rows = left < t->height ? left : t->height;
  turn.count = matrices;
  for (size_t c = 0; c < all->columns; c += t->width) {
    turn.columns = all->columns - c < t->width ? all->columns - c : t->width;
    turn.from = from + c * all->from_step * all->element;
    turn.to = to + c * all->element;
    if (t->aside) {
      turn_aside(t, &turn);
    } else {
      t->run->kernels->transpose(&turn);
    }
  }
}

static void strip_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const tiling *const t = user;
  transpose_walk w = t->matrices;
  walk_go_to(&w, first / t->strips);
  for (size_t i = first, n; i < end; i += n) {
    const size_t strip = i % t->strips, left = walk_left(&w);
    n = t->strips > 1 || t->aside ? 1 : left < end - i ? left : end - i;
    turn_strips(t, &w, strip, n);
    if (strip + 1 == t->strips) {
      walk_on(&w, n);
    }
  }
}

/* The size of tiles. Where columns of the input or rows of the output meet in caches, few of them
 * are read or written at a time. */
static void tiling_cut(tiling *const t) {
  const size_t element = t->turn.element;
  const bool columns_meet = t->turn.from_step * element % (SET / 2) == 0;
  const bool rows_meet = t->turn.to_step * element % SET == 0 && t->turn.rows > SET_LINES;
  t->aside = rows_meet && !columns_meet;
  t->width = (columns_meet ? rows_meet ? SQUARE : LINE : WIDTH) / element;
  t->height = t->aside ? aside_height(element) : (rows_meet ? SQUARE : STRIP) / element;
}

/* Lower strips where all threads would not find work otherwise. */
static void tiling_share(tiling *const t, const size_t matrices, const int threads) {
  const size_t bytes = matrices * t->turn.rows * t->turn.columns * t->turn.element;
  while (threads > 1 && bytes >= 2 * LEAST && t->height > LINE / t->turn.element &&
         matrices * t->turn.rows < STRIPS * t->height * (size_t)threads) {
    t->height /= 2;
  }
  t->strips = (t->turn.rows + t->height - 1) / t->height;
}

/* Output axis `unit` is the one that is contiguous in the input; it and the last output axis span a
 * matrix that is transposed by tiles, for every index of the other axes. */
static void transpose_tiles(const transpose_layout *const l, const int unit,
                            const tarei_run *const run, const size_t element) {
  tiling t = {.turn = {.element = element,
                       .from = run->in[0]->data,
                       .to = run->out[0]->data,
                       .from_step = l->stride[l->n - 1],
                       .rows = l->size[unit],
                       .columns = l->size[l->n - 1]},
              .run = run};
  size_t stride[TARE_MAX_RANK] = {0}, next = 1, matrices = 1;
  for (int a = l->n - 1; a >= 0; a--) {
    stride[a] = next;
    next *= l->size[a];
  }
  t.turn.to_step = stride[unit];
  for (int a = 0; a < l->n - 1; a++) {
    if (a != unit) {
      walk_add(&t.matrices, l->size[a], l->stride[a], stride[a]);
      t.turn.from_next = l->stride[a];
      t.turn.to_next = stride[a];
      matrices *= l->size[a];
    }
  }
  tiling_cut(&t);
  tiling_share(&t, matrices, run->threads);
  const size_t height = t.height < t.turn.rows ? t.height : t.turn.rows;
  tarei_row_ranges(run, matrices * t.strips, height * t.turn.columns * element, LEAST, strip_range,
                   &t);
}

static tare_status transpose_run(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  (void)err;
  const tare_tensor *const x = r->in[0];
  if (tare_tensor_count(x) == 0) {
    return TARE_OK;
  }
  transpose_layout l = transpose_layout_of(step, x);
  const size_t element = transpose_widen(&l, tare_dtype_size(x->dtype));
  if (l.n == 0 || l.stride[l.n - 1] == 1) {
    copy_rows(&l, r, element);
    return TARE_OK;
  }
  int unit = 0;
  while (l.stride[unit] != 1) {
    unit++;
  }
  transpose_tiles(&l, unit, r, element);
  return TARE_OK;
}

TAREI_KERNEL_OF(transpose_kernel, transpose)

const tarei_lowering tarei_lower_transpose = {.run = transpose_run, .kernel = transpose_kernel};
