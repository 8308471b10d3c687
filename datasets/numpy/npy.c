#include "datasets/numpy/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"

enum { MAGIC_BYTES = 8, MOST_HEADER = 1 << 16 };

/* An element, its bytes in the order of the machine, widened. */
typedef void (*widen_fn)(const uint8_t *bytes, void *out);

struct tarei_npy_type {
  char kind;
  int bytes;
  tarei_number number;
  widen_fn widen;
};

#define WIDEN(name, type, wide)                                           \
  static void widen_##name(const uint8_t *const bytes, void *const out) { \
    type value;                                                           \
    memcpy(&value, bytes, sizeof value);                                  \
    *(wide *)out = (wide)value;                                           \
  }
WIDEN(i8, int8_t, int64_t)
WIDEN(i16, int16_t, int64_t)
WIDEN(i32, int32_t, int64_t)
WIDEN(i64, int64_t, int64_t)
WIDEN(u8, uint8_t, int64_t)
WIDEN(u16, uint16_t, int64_t)
WIDEN(u32, uint32_t, int64_t)
WIDEN(u64, uint64_t, uint64_t)
WIDEN(f32, float, float)
WIDEN(f64, double, double)
#undef WIDEN

static void widen_f16(const uint8_t *const bytes, void *const out) {
  uint16_t half;
  memcpy(&half, bytes, sizeof half);
  *(double *)out = (double)tarei_f16_to_float(half);
}

static const struct tarei_npy_type TYPES[] = {
    {'b', 1, TAREI_NUMBER_I64, widen_u8},  {'i', 1, TAREI_NUMBER_I64, widen_i8},
    {'i', 2, TAREI_NUMBER_I64, widen_i16}, {'i', 4, TAREI_NUMBER_I64, widen_i32},
    {'i', 8, TAREI_NUMBER_I64, widen_i64}, {'u', 1, TAREI_NUMBER_I64, widen_u8},
    {'u', 2, TAREI_NUMBER_I64, widen_u16}, {'u', 4, TAREI_NUMBER_I64, widen_u32},
    {'u', 8, TAREI_NUMBER_U64, widen_u64}, {'f', 2, TAREI_NUMBER_F64, widen_f16},
    {'f', 4, TAREI_NUMBER_F32, widen_f32}, {'f', 8, TAREI_NUMBER_F64, widen_f64},
};

/* The text of a header while it is taken apart. */
typedef struct npy_text {
  const char *at; /* ends in NUL */
} npy_text;

static void pass_space(npy_text *const t) {
  while (isspace((unsigned char)*t->at)) {
    t->at++;
  }
}

static bool npy_take(npy_text *const t, const char *const token) {
  pass_space(t);
  const size_t n = strlen(token);
  const bool found = strncmp(t->at, token, n) == 0;
  t->at += found ? n : 0;
  return found;
}

/* A string in quotes, without escapes, into `out` of `capacity` bytes. */
static bool take_string(npy_text *const t, char *const out, const size_t capacity) {
  pass_space(t);
  const char quote = *t->at;
  const char *const end = quote == '\'' || quote == '"' ? strchr(t->at + 1, quote) : NULL;
  const size_t n = end ? (size_t)(end - t->at) - 1 : capacity;
  if (n >= capacity) {
    return false;
  }
  memcpy(out, t->at + 1, n);
  out[n] = '\0';
  t->at = end + 1;
  return true;
}

/* Digits, with the L that Python 2 wrote behind them. */
static bool take_size(npy_text *const t, int64_t *const out) {
  pass_space(t);
  if (!isdigit((unsigned char)*t->at)) {
    return false;
  }
  int64_t value = 0;
  for (; isdigit((unsigned char)*t->at); t->at++) {
    if (!tarei_mul_i64(value, 10, &value) || !tarei_add_i64(value, *t->at - '0', &value)) {
      return false;
    }
  }
  t->at += *t->at == 'L';
  *out = value;
  return true;
}

static tare_status npy_take_shape(npy_text *const t, tarei_npy *const out, tare_error *const err) {
  if (!npy_take(t, "(")) {
    return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: expected a tuple as shape");
  }
  out->count = 1;
  while (!npy_take(t, ")")) {
    if (out->rank == TAREI_NPY_MAX_RANK) {
      return tarei_fail(err, TARE_E_INPUT, "has more than %d dims", TAREI_NPY_MAX_RANK);
    }
    int64_t *const dim = &out->dims[out->rank++];
    if (!take_size(t, dim)) {
      return tarei_fail(err, TARE_E_INPUT,
                        "malformed .npy header: expected non-negative integers in the shape");
    }
    if (!tarei_mul_i64(out->count, *dim, &out->count)) {
      return tarei_fail(err, TARE_E_INPUT,
                        "malformed .npy header: the product of the dims exceeds 64 bits");
    }
    if (!npy_take(t, ",")) {
      return npy_take(t, ")")
                 ? TARE_OK
                 : tarei_fail(err, TARE_E_INPUT,
                              "malformed .npy header: expected ',' or ')' in the shape");
    }
  }
  return TARE_OK;
}

static bool is_swapped(const char order) {
  const uint16_t one = 1;
  const bool little = *(const uint8_t *)&one == 1;
  return order == (little ? '>' : '<');
}

static tare_status take_type(npy_text *const t, tarei_npy *const out, tare_error *const err) {
  char descr[32];
  if (!take_string(t, descr, sizeof descr)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "structured element types are not supported: save plain arrays of numbers");
  }
  if (strchr(descr, 'O')) {
    return tarei_fail(err, TARE_E_INPUT, "Python objects are never loaded: save arrays of numbers");
  }
  const bool ordered = strchr("<>=|", descr[0]) && descr[0];
  const char *const name = descr + ordered;
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    const char digit = (char)('0' + TYPES[i].bytes);
    if (name[0] == TYPES[i].kind && name[1] == digit && name[2] == '\0') {
      out->type = &TYPES[i];
      out->number = TYPES[i].number;
      out->element_bytes = (size_t)TYPES[i].bytes;
      out->swapped = TYPES[i].bytes > 1 && is_swapped(descr[0]);
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_INPUT,
                    "element type '%s' is not supported: expected bool, integers of 8 to 64 bits "
                    "or floats of 16 to 64 bits",
                    descr);
}

static tare_status take_order(npy_text *const t, tarei_npy *const out, tare_error *const err) {
  out->fortran = npy_take(t, "True");
  return out->fortran || npy_take(t, "False")
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "malformed .npy header: expected True or False as fortran_order");
}

static const struct {
  const char *key;
  tare_status (*take)(npy_text *t, tarei_npy *out, tare_error *err);
} KEYS[] = {{"descr", take_type}, {"fortran_order", take_order}, {"shape", npy_take_shape}};
enum { N_KEYS = sizeof KEYS / sizeof *KEYS };

static tare_status take_key(npy_text *const t, tarei_npy *const out, bool seen[N_KEYS],
                            tare_error *const err) {
  char key[32];
  if (!take_string(t, key, sizeof key) || !npy_take(t, ":")) {
    return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: expected a dict");
  }
  for (int i = 0; i < N_KEYS; i++) {
    if (strcmp(key, KEYS[i].key) == 0 && !seen[i]) {
      seen[i] = true;
      return KEYS[i].take(t, out, err);
    }
  }
  return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: unknown or duplicate key '%s'", key);
}

static tare_status npy_parse(npy_text t, tarei_npy *const out, tare_error *const err) {
  bool seen[N_KEYS] = {false};
  bool more = npy_take(&t, "{");
  if (!more) {
    return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: expected a dict");
  }
  while (more && !npy_take(&t, "}")) {
    TAREI_TRY(take_key(&t, out, seen, err));
    more = npy_take(&t, ",");
    if (!more && !npy_take(&t, "}")) {
      return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: unterminated dict");
    }
  }
  for (int i = 0; i < N_KEYS; i++) {
    if (!seen[i]) {
      return tarei_fail(err, TARE_E_INPUT, "malformed .npy header: missing key '%s'", KEYS[i].key);
    }
  }
  return TARE_OK;
}

/* Bytes of the header's text, behind magic and version; 0 with an error. */
static tare_status npy_read_length(tarei_unpack *const from, size_t *const out,
                                   tare_error *const err) {
  uint8_t head[MAGIC_BYTES + 4];
  if (tarei_unpack_left(from) < sizeof head) {
    return tarei_fail(err, TARE_E_INPUT, "not an .npy file: %zu bytes is too short for a header",
                      tarei_unpack_left(from));
  }
  TAREI_TRY(tarei_unpack_read(from, head, MAGIC_BYTES + 2, err));
  if (memcmp(head, "\x93NUMPY", 6) != 0) {
    return tarei_fail(err, TARE_E_INPUT, "not an .npy file: it does not begin with \\x93NUMPY");
  }
  const int version = head[6];
  if (version < 1 || version > 3) {
    return tarei_fail(err, TARE_E_INPUT, ".npy version %d is not supported: expected 1 to 3",
                      version);
  }
  *out = (size_t)head[8] | (size_t)head[9] << 8;
  if (version > 1) {
    TAREI_TRY(tarei_unpack_read(from, head + 10, 2, err));
    *out |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
  }
  return *out <= MOST_HEADER
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, ".npy header of %zu bytes exceeds the limit of %d",
                          *out, MOST_HEADER);
}

static tare_status npy_read_text(tarei_unpack *const from, tarei_npy *const out,
                                 tare_error *const err) {
  size_t length = 0;
  TAREI_TRY(npy_read_length(from, &length, err));
  char *const header = tarei_calloc(length + 1, 1);
  if (!header) {
    return tarei_fail_memory(err, "an .npy header", length);
  }
  tare_status status = tarei_unpack_read(from, header, length, err);
  if (status == TARE_OK) {
    status = npy_parse((npy_text){header}, out, err);
  }
  free(header);
  return status;
}

tare_status tarei_npy_open(tarei_unpack *const from, tarei_npy *const out, tare_error *const err) {
  *out = (tarei_npy){0};
  TAREI_TRY(npy_read_text(from, out, err));
  size_t bytes;
  const size_t left = tarei_unpack_left(from);
  if (!tarei_mul_size((size_t)out->count, out->element_bytes, &bytes) || bytes > left) {
    return tarei_fail(err, TARE_E_INPUT,
                      "truncated: the header declares %" PRId64
                      " elements of %zu bytes, the file has %zu bytes",
                      out->count, out->element_bytes, left);
  }
  if (bytes < left) {
    return tarei_fail(err, TARE_E_INPUT, "has %zu bytes more than its header declares",
                      left - bytes);
  }
  return TARE_OK;
}

static void reverse(const uint8_t *const from, const size_t n, uint8_t *const to) {
  for (size_t i = 0; i < n; i++) {
    to[i] = from[n - 1 - i];
  }
}

bool tarei_npy_is_wide(const tarei_npy *const npy) {
  return !npy->swapped && npy->element_bytes == tarei_number_size(npy->number);
}

void tarei_npy_widen(const tarei_npy *const npy, const void *const raw, const int64_t n,
                     const int64_t stride, void *const out) {
  const size_t step = (size_t)stride * npy->element_bytes, wide = tarei_number_size(npy->number);
  const uint8_t *from = raw;
  uint8_t *to = out, turned[sizeof(int64_t)];
  for (int64_t i = 0; i < n; i++, from += step, to += wide) {
    if (npy->swapped) {
      reverse(from, npy->element_bytes, turned);
    }
    npy->type->widen(npy->swapped ? turned : from, to);
  }
}
