#include "calib/eval/agreement/output_look.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "calib/metrics/rows.h"
#include "shapes/number.h"

/* --- rows ------------------------------------------------------------------------------------- */

enum { LOOKED_ROWS = 4 }; /* of an output of a sample */
enum { FEW_VALUES = 8 };  /* less have no norm or neighbours that say anything */
#define NEAR 0.01         /* of a sum, a logarithm or a norm */

/* What is summed up over the values of a row that are finite. */
typedef struct look_row {
  int64_t n;
  double sum, squares, least, most, exponentials, neighbours;
} look_row;

static look_row look_sums(const tare_tensor *const t, const int64_t offset, const int64_t n) {
  look_row r = {.least = INFINITY, .most = -INFINITY};
  for (int64_t i = 0; i < n; i++) {
    const double x = tarei_real_at(t, offset + i);
    if (isfinite(x)) {
      r.n++;
      r.sum += x;
      r.squares += x * x;
      r.least = fmin(r.least, x);
      r.most = fmax(r.most, x);
    }
  }
  const double mean = r.n ? r.sum / (double)r.n : 0;
  double last = 0;
  for (int64_t i = 0; i < n; i++) {
    const double x = tarei_real_at(t, offset + i);
    const double own = isfinite(x) ? x - mean : 0;
    r.exponentials += isfinite(x) ? exp(x - r.most) : 0;
    r.neighbours += own * last;
    last = own;
  }
  return r;
}

static void look_add(tarei_output_look *const look, const look_row *const r, const int64_t class) {
  const double n = (double)r->n, energy = r->squares - r->sum * r->sum / n;
  const double chance = 1 / n, certain = 1 / r->exponentials;
  if (look->rows < TAREI_LOOK_CLASSES) {
    look->classes[look->rows] = class;
  }
  look->rows++;
  look->probabilities += r->least >= 0 && fabs(r->sum - 1) < NEAR;
  look->logarithms += r->most <= NEAR && fabs(r->most + log(r->exponentials)) < NEAR;
  look->units += r->n >= FEW_VALUES && fabs(sqrt(r->squares) - 1) < NEAR;
  look->confidence += (certain - chance) / (1 - chance);
  look->smoothness += r->n >= FEW_VALUES && energy > 0 ? r->neighbours / energy : 0;
}

void tarei_look_take(tarei_output_look *const look, const tare_tensor *const output,
                     const int64_t *const extents) {
  tarei_rows rows;
  int64_t count = 1, at = 0;
  if (!tarei_is_float(output->dtype) || output->rank == 0) {
    return;
  }
  tarei_rows_begin(output, extents, &rows);
  for (int a = 0; a < rows.rank - 1; a++) {
    count *= rows.extents[a];
  }
  const int64_t step = count > LOOKED_ROWS ? count / LOOKED_ROWS : 1;
  for (int64_t offset = 0; rows.length >= 2 && tarei_rows_next(&rows, &offset); at++) {
    if (at % step == 0 && at / step < LOOKED_ROWS) {
      const look_row r = look_sums(output, offset, rows.length);
      if (r.n >= 2) {
        look_add(look, &r, tarei_argmax(output, offset, rows.length));
      }
    }
  }
}

/* --- names ------------------------------------------------------------------------------------ */

/* What a word in the name of an output says, in this order. CLASSES are read as sequences if they
 * look so. */
typedef enum look_word {
  WORD_NONE,
  WORD_SEQUENCE,
  WORD_CLASSES,
  WORD_EMBEDDING,
  WORD_SIGNAL
} look_word;

static const struct look_name {
  const char *part;
  look_word word;
} NAMES[] = {{"ctc", WORD_SEQUENCE},      {"logit", WORD_CLASSES},    {"prob", WORD_CLASSES},
             {"softmax", WORD_CLASSES},   {"class", WORD_CLASSES},    {"label", WORD_CLASSES},
             {"intent", WORD_CLASSES},    {"embed", WORD_EMBEDDING},  {"pooler", WORD_EMBEDDING},
             {"pooled", WORD_EMBEDDING},  {"hidden", WORD_EMBEDDING}, {"encoder", WORD_EMBEDDING},
             {"xvector", WORD_EMBEDDING}, {"state", WORD_SIGNAL},     {"cache", WORD_SIGNAL},
             {"past", WORD_SIGNAL},       {"present", WORD_SIGNAL},   {"wave", WORD_SIGNAL},
             {"audio", WORD_SIGNAL},      {"pcm", WORD_SIGNAL},       {"speech", WORD_SIGNAL},
             {"spec", WORD_SIGNAL},       {"mel", WORD_SIGNAL},       {"mask", WORD_SIGNAL},
             {"box", WORD_SIGNAL},        {"image", WORD_SIGNAL},     {"denoise", WORD_SIGNAL},
             {"enhance", WORD_SIGNAL}};

static bool name_has(const char *const name, const char *const part) {
  const size_t n = strlen(part);
  for (const char *at = name; *at; at++) {
    size_t i = 0;
    while (i < n && at[i] && tolower((unsigned char)at[i]) == part[i]) {
      i++;
    }
    if (i == n) {
      return true;
    }
  }
  return false;
}

static look_word word_of(const char *const name) {
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    if (name_has(name, NAMES[i].part)) {
      return NAMES[i].word;
    }
  }
  return WORD_NONE;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Whether an axis is one of ids that are read: positions in a text have answers, not frames. */
static bool is_of_text(const tarei_look_ports *const p, const tare_dim *const dim) {
  for (int i = 0; dim->symbol && i < p->n_inputs; i++) {
    const tare_port *const in = &p->inputs[i];
    for (int d = 1; !tarei_is_float(in->dtype) && d < in->rank; d++) {
      if (in->dims[d].symbol && strcmp(in->dims[d].symbol, dim->symbol) == 0) {
        return true;
      }
    }
  }
  return false;
}

bool tarei_look_may_be_read(const tarei_look_ports *const p) {
  const tare_port *const o = p->output;
  const look_word word = word_of(o->name);
  return tarei_is_float(o->dtype) && o->rank == 3 && o->dims[1].symbol && !o->dims[2].symbol &&
         o->dims[2].value >= 3 && word != WORD_EMBEDDING && word != WORD_SIGNAL &&
         !is_of_text(p, &o->dims[1]);
}

/* --- kinds ------------------------------------------------------------------------------------ */

#define MOST 0.95     /* of the rows: nearly all */
#define SMOOTH 0.5    /* neighbours that correlate so are those of a signal */
#define CONFIDENT 0.4 /* a softmax of classes */
#define BLANK 0.4     /* of the frames */
#define LONGEST_RUN 4 /* frames of a token, in the mean */
enum { SOME_ROWS = 8, LEAST_WIDTH = 32 };

/* Whether nearly all rows have one class: an embedding has elements that are large everywhere. */
static bool look_is_alike(const tarei_output_look *const look) {
  const int64_t n = look->rows < TAREI_LOOK_CLASSES ? look->rows : TAREI_LOOK_CLASSES;
  int64_t most = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t same = 0;
    for (int64_t j = 0; j < n; j++) {
      same += look->classes[j] == look->classes[i];
    }
    most = same > most ? same : most;
  }
  return n >= SOME_ROWS && (double)most > MOST * (double)n;
}

/* Short runs between blanks, as greedy CTC reads them. */
static bool look_is_read(const tarei_answers_seen *const t, const int64_t samples) {
  return t && t->tokens >= samples && t->tokens > t->most_alike &&
         (double)t->of_blank >= BLANK * (double)t->frames &&
         t->frames - t->of_blank <= LONGEST_RUN * t->tokens;
}

/* Classes, embedding or signal, of a name that says nothing. */
static look_word word_of_values(const tarei_look_ports *const p,
                                const tarei_output_look *const look) {
  const tare_port *const o = p->output;
  const double n = (double)look->rows;
  if ((double)look->probabilities > MOST * n || (double)look->logarithms > MOST * n) {
    return WORD_CLASSES;
  }
  if ((double)look->units > MOST * n) {
    return WORD_EMBEDDING;
  }
  if (o->dims[o->rank - 1].symbol) {
    return o->rank == 2 && is_of_text(p, &o->dims[1]) ? WORD_CLASSES : WORD_SIGNAL;
  }
  if (look->smoothness > SMOOTH * n || o->rank > 3) {
    return WORD_SIGNAL;
  }
  if (look->confidence > CONFIDENT * n && !look_is_alike(look)) {
    return WORD_CLASSES;
  }
  return o->rank == 2 && o->dims[1].value >= LEAST_WIDTH ? WORD_EMBEDDING : WORD_SIGNAL;
}

tare_agreement tarei_look_kind(const tarei_look_ports *const p, const tarei_output_look *const look,
                               const tarei_answers_seen *const tokens, const int64_t samples) {
  const tare_port *const o = p->output;
  if (!tarei_is_float(o->dtype)) {
    return TARE_AGREEMENT_EQUAL;
  }
  if (look->rows == 0) {
    return TARE_AGREEMENT_NONE; /* also if rows have one element */
  }
  look_word word = word_of(o->name);
  word = word == WORD_NONE ? word_of_values(p, look) : word;
  if (word == WORD_CLASSES && look_is_read(tokens, samples)) {
    word = WORD_SEQUENCE;
  }
  switch (word) {
    case WORD_SEQUENCE:
      return tokens ? TARE_AGREEMENT_EDITS : TARE_AGREEMENT_TOP1;
    case WORD_CLASSES:
      return TARE_AGREEMENT_TOP1;
    case WORD_EMBEDDING:
      return TARE_AGREEMENT_COSINE;
    default:
      return TARE_AGREEMENT_NONE;
  }
}
