/* Runs of recurrent layers: what a run makes beforehand, its lanes, and how threads share them. */
#include "engine/lower/recurrent/recurrent.h"

#include <string.h>

#include "engine/lower/recurrent/recurrent_lane.h"
#include "engine/lower/products/row_scales.h"
#include "engine/threads.h"

#define CHUNK_BYTES ((size_t)256 * 1024) /* of sums from the input: they stay in L2 until used */
#define FEWEST_ROWS 32                   /* of their product, unless they would fill this thrice */
#define LEAST_PART_BYTES ((size_t)192 * 1024) /* of weights: worth the meetings of two threads */

/* --- memory ----------------------------------------------------------------------------------- */

/* How a run is cut, and where things lie in its scratch. */
typedef struct recurrent_layout {
  size_t lanes, m; /* sequences of a lane, at most */
  size_t rows;     /* of a chunk, at most */
  size_t parts;
  size_t bias, state_bias, peepholes, w, r, row_scratch, first_lane;
  size_t x, rec, h, c, reset, copy, bytes, scales, lane; /* of a lane, and how large one is */
  size_t total;
} recurrent_layout;

static size_t recurrent_take(size_t *const end, const size_t bytes) {
  const size_t at = *end;
  *end = tarei_plus(*end, tarei_round_up(bytes, TAREI_ALIGN));
  return at;
}

/* Of the sums of m sequences in one direction, at all steps. */
static size_t all_bytes(const tarei_recurrent_sizes *const z, const size_t m) {
  return tarei_times(tarei_times(z->steps, m), z->columns * sizeof(float));
}

static size_t chunk_bytes(const tarei_recurrent_sizes *const z, const size_t m) {
  const size_t row = z->columns * sizeof(float), all = all_bytes(z, m);
  const size_t most = FEWEST_ROWS * row > CHUNK_BYTES ? FEWEST_ROWS * row : CHUNK_BYTES;
  const size_t bytes = all < most ? all : most, step = tarei_times(m, row);
  return bytes > step ? bytes : step;
}

static void recurrent_cut(const tarei_recurrent *const s, const tarei_recurrent_sizes *const z,
                          const size_t threads, recurrent_layout *const l) {
  const size_t dirs = (size_t)s->form.dirs;
  const size_t wanted = threads > dirs ? threads / dirs : 1;
  const size_t by_batch = wanted < z->batch ? wanted : z->batch ? z->batch : 1;
  l->lanes = dirs * by_batch;
  l->m = (z->batch + by_batch - 1) / by_batch;
  const size_t weights = z->columns * z->hidden * (s->bytes ? 1 : sizeof(float));
  const size_t most = z->gate / TAREI_F32_PANEL, each = weights / LEAST_PART_BYTES;
  size_t parts = by_batch == 1 ? threads / l->lanes : 1;
  parts = parts < each ? parts : each;
  parts = parts < most ? parts : most;
  l->parts = parts ? parts : 1;
}

/* Both directions of one sequence. */
static bool has_pair(const tarei_recurrent_sizes *const z, const recurrent_layout *const l) {
  return l->lanes == TAREI_RECURRENT_LANES && z->batch == 1;
}

static void place_lane(const tarei_recurrent_sizes *const z, const size_t dirs,
                       recurrent_layout *const l) {
  const size_t state = tarei_times(l->m, z->hidden * sizeof(float));
  const size_t chunk = chunk_bytes(z, l->m), all = tarei_times(dirs, all_bytes(z, l->m));
  const size_t shared = all < CHUNK_BYTES ? all : CHUNK_BYTES; /* shorter inputs may need it */
  l->x = recurrent_take(&l->lane, shared > chunk ? shared : chunk);
  l->rec = recurrent_take(&l->lane, tarei_times(l->m, z->columns * sizeof(float)));
  l->h = recurrent_take(&l->lane, state);
  l->c = recurrent_take(&l->lane, state);
  l->reset = recurrent_take(&l->lane, state);
  l->copy = recurrent_take(&l->lane, state);
  l->bytes = recurrent_take(
      &l->lane, tarei_plus(tarei_times(l->m, tarei_recurrent_ld(z->hidden)), TAREI_ALIGN));
  l->scales = recurrent_take(&l->lane, l->m * sizeof(float));
}

static recurrent_layout recurrent_layout_of(const tarei_recurrent *const s,
                                            const tarei_recurrent_sizes *const z,
                                            const int threads) {
  const size_t dirs = (size_t)s->form.dirs, floats = dirs * z->columns * sizeof(float);
  recurrent_layout l = {0};
  recurrent_cut(s, z, (size_t)threads, &l);
  l.bias = recurrent_take(&l.total, floats);
  l.state_bias = recurrent_take(&l.total, floats);
  l.peepholes = recurrent_take(&l.total, dirs * 3 * z->gate * sizeof(float));
  l.w = recurrent_take(
      &l.total, s->w.packed ? 0 : dirs * tarei_recurrent_packed_bytes(s, z->input, z->columns));
  l.r = recurrent_take(
      &l.total, s->r.packed ? 0 : dirs * tarei_recurrent_packed_bytes(s, z->hidden, z->columns));
  l.row_scratch = recurrent_take(
      &l.total,
      s->row_scales ? tarei_row_scales_scratch((tarei_row_form){0}, z->input, threads) : 0);
  place_lane(z, dirs, &l);
  l.first_lane = recurrent_take(&l.total, tarei_times(l.lanes, l.lane));
  return l;
}

size_t tarei_recurrent_scratch(const tarei_recurrent *const s, const tarei_recurrent_sizes *const z,
                               const int threads) {
  return recurrent_layout_of(s, z, threads).total;
}

/* --- beforehand ------------------------------------------------------------------------------- */

static void *recurrent_at(const tarei_run *const run, const size_t offset) {
  return (char *)run->scratch + offset;
}

/* The biases of input and state are added at once, but for that of a GRU's third gate, which the
 * reset gate multiplies where it comes after the product. */
static void add_bias(const tarei_recurrent_job *const j, const float *const from, float *const bias,
                     float *const state_bias) {
  const tarei_recurrent_sizes *const z = &j->z;
  const size_t gates = (size_t)j->s->form.gates, dirs = (size_t)j->s->form.dirs;
  memset(bias, 0, dirs * z->columns * sizeof *bias);
  memset(state_bias, 0, dirs * z->columns * sizeof *bias);
  for (size_t i = 0; i < dirs * gates; i++) {
    const size_t d = i / gates, g = i % gates;
    const bool apart = g == 2 && j->s->form.linear_before_reset;
    const float *const w = from + (2 * d * gates + g) * z->hidden, *const r = w + gates * z->hidden;
    float *const to = bias + d * z->columns + g * z->gate;
    float *const other = state_bias + d * z->columns + g * z->gate;
    for (size_t u = 0; u < z->hidden; u++) {
      to[u] = apart ? w[u] : w[u] + r[u];
      other[u] = apart ? r[u] : 0;
    }
  }
}

static void take_biases(tarei_recurrent_job *const j, const recurrent_layout *const l) {
  const tare_tensor *const bias = tarei_recurrent_in(j->step, j->run, TAREI_RECURRENT_BIAS);
  if (bias) {
    float *const to = recurrent_at(j->run, l->bias), *const other =
                                                         recurrent_at(j->run, l->state_bias);
    add_bias(j, bias->data, to, other);
    j->bias = to;
    j->state_bias = j->s->form.gates == 3 && j->s->form.linear_before_reset ? other : NULL;
  }
}

static void take_peepholes(tarei_recurrent_job *const j, const recurrent_layout *const l) {
  const tare_tensor *const p = tarei_recurrent_in(j->step, j->run, TAREI_RECURRENT_PEEPHOLES);
  if (p) {
    float *const to = recurrent_at(j->run, l->peepholes);
    for (size_t i = 0; i < 3 * (size_t)j->s->form.dirs; i++) {
      memcpy(to + i * j->z.gate, (const float *)p->data + i * j->z.hidden,
             j->z.hidden * sizeof *to);
    }
    j->peepholes = to;
  }
}

/* Weights of the plan, or of this run. */
static const void *take_weights(const tarei_recurrent_job *const j, const int input, const size_t k,
                                const tarei_recurrent_weights *const w, const size_t offset) {
  if (!w->packed) {
    tarei_recurrent_pack_floats(j->s, &j->z, j->run->in[input]->data, k, j->run->kernels,
                                recurrent_at(j->run, offset));
    return recurrent_at(j->run, offset);
  }
  return w->packed;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static void begin_state(const tarei_recurrent_lane *const lane, const int input, float *const to) {
  const tarei_recurrent_job *const j = lane->j;
  const tare_tensor *const from = tarei_recurrent_in(j->step, j->run, input);
  const size_t n = j->z.hidden;
  for (size_t b = 0; b < lane->m; b++) {
    const size_t row = tarei_recurrent_state_row(j->s, &j->z, lane->dir, lane->first + b);
    if (from) {
      memcpy(to + b * n, (const float *)from->data + row, n * sizeof *to);
    } else {
      memset(to + b * n, 0, n * sizeof *to);
    }
  }
}

static void end_state(const tarei_recurrent_lane *const lane, const int output,
                      const float *const from) {
  const tarei_recurrent_job *const j = lane->j;
  const tare_tensor *const to = tarei_recurrent_out(j->step, j->run, output);
  const size_t n = j->z.hidden;
  for (size_t b = 0; to && b < lane->m; b++) {
    float *const row =
        (float *)to->data + tarei_recurrent_state_row(j->s, &j->z, lane->dir, lane->first + b);
    if (tarei_recurrent_ends_with_zeros(j->lengths, lane->first + b)) {
      memset(row, 0, n * sizeof *row);
    } else {
      memcpy(row, from + b * n, n * sizeof *row);
    }
  }
}

static tarei_recurrent_lane lane_of(const tarei_recurrent_job *const j,
                                    const recurrent_layout *const l, const size_t i) {
  const size_t dirs = (size_t)j->s->form.dirs, cuts = l->lanes / dirs, part = i % cuts;
  char *const base = recurrent_at(j->run, l->first_lane + i * l->lane);
  tarei_recurrent_lane lane = {.j = j,
                               .dir = (int)(i / cuts),
                               .first = j->z.batch * part / cuts,
                               .x = (float *)(void *)(base + l->x),
                               .rec = (float *)(void *)(base + l->rec),
                               .h = (float *)(void *)(base + l->h),
                               .c = (float *)(void *)(base + l->c),
                               .reset = (float *)(void *)(base + l->reset),
                               .copy = (float *)(void *)(base + l->copy),
                               .bytes = (uint8_t *)base + l->bytes,
                               .scales = (float *)(void *)(base + l->scales)};
  lane.m = j->z.batch * (part + 1) / cuts - lane.first;
  for (size_t b = 0; b < lane.m; b++) {
    const size_t length = tarei_recurrent_length(j->lengths, &j->z, lane.first + b);
    lane.length = length > lane.length ? length : lane.length;
  }
  return lane;
}

/* Lanes that go step by step together. */
typedef struct pack {
  tarei_recurrent_lane *lanes;
  size_t n, length; /* length: of the longest lane */
  size_t chunk;     /* steps */
  bool team;        /* the caller owns the run's team */
  int thread;
  size_t step; /* 0, 1, .. in the order in which they are made */
  int phase;
} pack;

static size_t time_of(const pack *const p, const tarei_recurrent_lane *const lane,
                      const size_t step) {
  return tarei_recurrent_is_backwards(lane) ? p->length - 1 - step : step;
}

static void one_part(const void *const user, const size_t item, const int thread) {
  (void)thread;
  const pack *const p = user;
  const tarei_recurrent_lane *const lane = &p->lanes[item % p->n];
  tarei_recurrent_part(lane, time_of(p, lane, p->step), item / p->n, p->phase);
}

static void each_part(const pack *const p) {
  const tarei_recurrent_job *const j = p->lanes->j;
  if (j->parts > 1) {
    tarei_team_run(j->run->team, p->n * j->parts, one_part, p);
    return;
  }
  for (size_t i = 0; i < p->n; i++) {
    one_part(p, i, 0);
  }
}

static void recurrent_one_step(pack *const p) {
  for (size_t i = 0; i < p->n; i++) {
    tarei_recurrent_begin_step(&p->lanes[i]);
  }
  p->phase = 0;
  each_part(p);
  if (tarei_recurrent_has_middle(p->lanes->j->s)) {
    for (size_t i = 0; i < p->n; i++) {
      tarei_recurrent_middle(&p->lanes[i]);
    }
    p->phase = 1;
    each_part(p);
  }
}

/* Steps [first, first + n), whose product with the input is made. */
static void recurrent_make_steps(pack *const p, const size_t first, const size_t n) {
  if (tarei_recurrent_is_small(p->lanes->j)) {
    tarei_recurrent_small_steps(p->lanes, p->n, n);
    return;
  }
  for (p->step = first; p->step < first + n; p->step++) {
    recurrent_one_step(p);
  }
}

/* Rows of the output behind the longest sequence. */
static void clear_rest(const pack *const p, const tarei_recurrent_lane *const lane) {
  const tarei_recurrent_job *const j = lane->j;
  const tare_tensor *const y = tarei_recurrent_out(j->step, j->run, 0);
  for (size_t t = p->length; y && t < j->z.steps; t++) {
    for (size_t b = 0; b < lane->m; b++) {
      memset((float *)y->data + tarei_recurrent_row(j->s, &j->z, t, lane->dir, lane->first + b), 0,
             j->z.hidden * sizeof(float));
    }
  }
}

/* The input of both directions at all steps of a sequence. */
static void take_input_of_both(pack *const p) {
  tarei_recurrent_lane *const first = &p->lanes[0], *const second = &p->lanes[1];
  tarei_recurrent_input(first, TAREI_RECURRENT_LANES, 0, p->length, p->team, p->thread);
  second->t0 = first->t0;
  second->ldx = first->ldx;
  second->x = first->x + first->j->z.columns;
}

/* The input of steps [first, first + n). */
static void recurrent_take_input(pack *const p, const size_t first, const size_t n) {
  const tarei_recurrent_sizes *const z = &p->lanes->j->z;
  const size_t both = tarei_times(TAREI_RECURRENT_LANES, all_bytes(z, 1));
  if (p->n == TAREI_RECURRENT_LANES && z->batch == 1 && both <= CHUNK_BYTES) {
    take_input_of_both(p);
    return;
  }
  for (size_t i = 0; i < p->n; i++) {
    tarei_recurrent_lane *const lane = &p->lanes[i];
    const size_t t0 = tarei_recurrent_is_backwards(lane) ? p->length - first - n : first;
    tarei_recurrent_input(lane, 1, t0, n, p->team, p->thread);
  }
}

static void run_pack(pack *const p) {
  for (size_t first = 0; first < p->length; first += p->chunk) {
    const size_t n = p->length - first < p->chunk ? p->length - first : p->chunk;
    recurrent_take_input(p, first, n);
    recurrent_make_steps(p, first, n);
  }
  for (size_t i = 0; i < p->n; i++) {
    clear_rest(p, &p->lanes[i]);
    end_state(&p->lanes[i], 1, p->lanes[i].h);
    end_state(&p->lanes[i], 2, p->lanes[i].c);
  }
}

/* --- runs ------------------------------------------------------------------------------------- */

typedef struct whole {
  const tarei_recurrent_job *j;
  const recurrent_layout *l;
  bool team;
} whole;

/* Lanes [first, first + n) together. */
static void run_lanes(const whole *const w, const size_t first, const size_t n, const int thread) {
  tarei_recurrent_lane lanes[TAREI_RECURRENT_LANES];
  const size_t row = w->j->z.columns * sizeof(float);
  pack p = {.lanes = lanes, .n = n, .team = w->team, .thread = thread};
  for (size_t i = 0; i < n; i++) {
    lanes[i] = lane_of(w->j, w->l, first + i);
    begin_state(&lanes[i], TAREI_RECURRENT_FIRST_H, lanes[i].h);
    begin_state(&lanes[i], TAREI_RECURRENT_FIRST_C, lanes[i].c);
    p.length = lanes[i].length > p.length ? lanes[i].length : p.length;
  }
  if (!lanes->m) {
    return;
  }
  p.chunk = chunk_bytes(&w->j->z, w->l->m) / (lanes->m * row);
  run_pack(&p);
}

static void one_lane(const void *const user, const size_t item, const int thread) {
  run_lanes(user, item, 1, thread);
}

void tarei_recurrent_run(const tarei_step *const step, const tarei_run *const run,
                         const tarei_recurrent_sizes *const z, const int32_t *const lengths) {
  const tarei_recurrent *const s = step->state;
  const recurrent_layout l = recurrent_layout_of(s, z, run->threads);
  tarei_recurrent_job j = {.step = step,
                           .run = run,
                           .s = s,
                           .z = *z,
                           .lengths = lengths,
                           .parts = l.parts,
                           .row_scratch = recurrent_at(run, l.row_scratch)};
  take_biases(&j, &l);
  take_peepholes(&j, &l);
  j.w = take_weights(&j, TAREI_RECURRENT_W, z->input, &s->w, l.w);
  j.r = take_weights(&j, TAREI_RECURRENT_R, z->hidden, &s->r, l.r);
  whole w = {&j, &l, true};
  if (l.parts > 1 || (has_pair(z, &l) && tarei_recurrent_is_small(&j))) {
    run_lanes(&w, 0, l.lanes, 0);
  } else if (l.lanes > 1 && run->threads > 1) {
    w.team = false;
    tarei_team_run(run->team, l.lanes, one_lane, &w);
  } else {
    for (size_t i = 0; i < l.lanes; i++) {
      one_lane(&w, i, 0);
    }
  }
}
