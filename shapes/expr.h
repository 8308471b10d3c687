/*
 * Symbolic dims: integer expressions over the input symbols of a model.
 *
 * A pool owns symbols and expressions. Expressions are kept in a normal form (a sum of integer
 * coefficients times products of atoms, where an atom is a symbol or a floordiv, mod, min, max or
 * broadcast of normal forms) and are hash-consed, so that equal expressions have equal handles.
 * What grows long gets a name, an atom that stands for it: expressions of any depth stay small.
 * Dims and sizes are >= 0; symbols are assumed >= 1 when simplifying (floordiv by a factor is
 * exact), or what tarei_exprs_raise_least says, measured ones and those that may be empty >= 0.
 */
#ifndef TAREI_SHAPES_EXPR_H
#define TAREI_SHAPES_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

typedef int32_t tarei_expr;
#define TAREI_EXPR_NONE (-1) /* not known; every operation on it gives it again */

typedef struct tarei_exprs tarei_exprs;

tarei_exprs *tarei_exprs_new(void); /* NULL if memory runs out */
void tarei_exprs_free(tarei_exprs *pool);
tarei_exprs *tarei_exprs_clone(const tarei_exprs *pool); /* same handles */

/* Symbols are numbered from 0 in order of first use. */
int tarei_exprs_n_symbols(const tarei_exprs *pool);
const char *tarei_exprs_symbol_name(const tarei_exprs *pool, int symbol); /* measured: its node's */
int tarei_exprs_find_symbol(const tarei_exprs *pool, const char *name);   /* -1 if missing */

/* tarei_expr_symbol returns the same symbol for the same name. A new symbol differs from all that
 * exist, whatever their names; since people tell symbols apart by name, '_' is appended to its name
 * while another has it. */
tarei_expr tarei_expr_symbol(tarei_exprs *pool, const char *name);
tarei_expr tarei_expr_new_symbol(tarei_exprs *pool, const char *name);

/* Gives a symbol another name, which no other may have (asserted). False if memory runs out. */
bool tarei_exprs_rename(tarei_exprs *pool, int symbol, const char *name);

/* Says that no dim has a symbol any more: it is found by no name. */
void tarei_exprs_drop(tarei_exprs *pool, int symbol);
bool tarei_exprs_is_dropped(const tarei_exprs *pool, int symbol);

/* Says that a symbol may be 0, before there are expressions that depend on it. */
void tarei_exprs_may_be_empty(tarei_exprs *pool, int symbol);

/* Says that a symbol is at least so much wherever expressions of the pool are used, unless it may
 * be empty: they are simplified accordingly from now on. Whether that is more than was known. */
bool tarei_exprs_raise_least(tarei_exprs *pool, int symbol, int64_t least);

/* Whether anything could not be decided that larger lengths might decide. */
bool tarei_exprs_doubts(const tarei_exprs *pool);

/* The symbol of an expression that has a single one and does not fall when it grows, and its least
 * value at which the expression is 1 or more. False if the expression is not of that kind. */
bool tarei_expr_least(const tarei_exprs *pool, tarei_expr e, int *symbol, int64_t *least);

/* Whether expressions come from texts that were printed in normal form: nothing is simplified by
 * assumptions that those may not have been made with. */
void tarei_exprs_set_reading(tarei_exprs *pool, bool reads);

/* Measured symbols stand for dims that depend on data: number k of the node `owner`. They are only
 * found by owner and k, never by name, so that no text in a model or file can refer to one that no
 * node measures. They are printed as ~name.k, which need not be unique. */
int32_t tarei_exprs_new_owner(tarei_exprs *pool); /* 1, 2, ...; unique in a pool */
/* Reserves the number of an owner that was read from a file; later new ones are larger. False if it
 * is out of range. The caller checks that it is unique. */
bool tarei_exprs_keep_owner(tarei_exprs *pool, int32_t owner);
tarei_expr tarei_exprs_measured(tarei_exprs *pool, int32_t owner, const char *name, int k);
bool tarei_exprs_is_measured(const tarei_exprs *pool, int symbol);
int tarei_exprs_find_measured(const tarei_exprs *pool, int32_t owner, int k); /* -1: missing */
/* The same symbol, if a file uses it before inference has reached its node: it is expected until
 * tarei_exprs_measured is called for it. */
tarei_expr tarei_exprs_expected(tarei_exprs *pool, int32_t owner, int k);
/* Number k of a symbol if `owner` measures it, else -1; also -1 while it is only expected. */
int tarei_exprs_measured_number(const tarei_exprs *pool, int symbol, int32_t owner);

/* Builders. They return TAREI_EXPR_NONE if memory runs out, every value would exceed 64 bits, a
 * divisor is the constant zero, or an operand is NONE. Division rounds toward minus infinity;
 * `trunc` divides toward zero. A broadcast is that of two dims, of which one is 1 if they are not
 * equal. */
tarei_expr tarei_expr_const(tarei_exprs *pool, int64_t value);
tarei_expr tarei_expr_add(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_sub(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_mul(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_floordiv(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_ceildiv(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_mod(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_min(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_max(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_trunc(tarei_exprs *pool, tarei_expr a, tarei_expr b);
tarei_expr tarei_expr_broadcast(tarei_exprs *pool, tarei_expr a, tarei_expr b);

/* Names are numbered from 0, each defined by names before it. tarei_expr_name gives e another form
 * only if it has several parts; the same for the same e. */
tarei_expr tarei_expr_name(tarei_exprs *pool, tarei_expr e);
int tarei_exprs_n_names(const tarei_exprs *pool);
tarei_expr tarei_exprs_definition(const tarei_exprs *pool, int name);
bool tarei_expr_has_names(const tarei_exprs *pool, tarei_expr e);
/* Sets the marks, one for each name, of those that e needs, directly or for definitions. */
void tarei_expr_mark_names(const tarei_exprs *pool, tarei_expr e, bool *marks);

bool tarei_expr_is_const(const tarei_exprs *pool, tarei_expr e, int64_t *value);
bool tarei_expr_uses(const tarei_exprs *pool, tarei_expr e, int symbol);
bool tarei_expr_uses_measured(const tarei_exprs *pool, tarei_expr e); /* or expected ones */
bool tarei_expr_uses_expected(const tarei_exprs *pool, tarei_expr e);
/* The symbol if e is just a symbol, else -1. */
int tarei_expr_is_symbol(const tarei_exprs *pool, tarei_expr e);

/* e with another expression in the place of a symbol. */
tarei_expr tarei_expr_replace(tarei_exprs *pool, tarei_expr e, int symbol, tarei_expr by);

/* Value for given symbol values (one per symbol). False on overflow, division by zero or NONE. */
bool tarei_expr_eval(const tarei_exprs *pool, tarei_expr e, const int64_t *symbols, int64_t *value);
/* The same with the values of all names that e needs, by number. It allocates nothing. */
bool tarei_expr_eval_named(const tarei_exprs *pool, tarei_expr e, const int64_t *symbols,
                           const int64_t *names, int64_t *value);

/* Bounds over the box lo[i] <= symbol i <= hi[i] by interval arithmetic; they may be too wide, but
 * never too narrow. */
bool tarei_expr_bounds(const tarei_exprs *pool, tarei_expr e, const int64_t *lo, const int64_t *hi,
                       int64_t *min, int64_t *max);

/* Appends readable text like "(samples + 2) / 5 + 1" to s; "?" for NONE. */
void tarei_expr_print(const tarei_exprs *pool, tarei_expr e, tarei_str *s);
/* Appends text for tarei_expr_parse: a measured symbol is "~OWNER.K", with numbers and without
 * quotes, and a name "#K", with its number in the text (numbers[name]; NULL: its number). */
void tarei_expr_write(const tarei_exprs *pool, tarei_expr e, const int *numbers, tarei_str *s);

/* Parses the text of tarei_expr_write, and any sum, product, floordiv "/", mod "%", min(a,b),
 * max(a,b) and broadcast(a,b) of names, integers and sizes that the pool has names for. Names with
 * characters other than letters, digits, '_' and '.' are in double quotes. A measured symbol that
 * is not in the pool is expected. TARE_E_INPUT names the position of the error; nesting deeper than
 * 64 is an error. */
tare_status tarei_expr_parse(tarei_exprs *pool, const char *text, tarei_expr *out, tare_error *err);

#endif
