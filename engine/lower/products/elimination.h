/* Elimination with partial pivoting, in double: determinants and inverses of square matrices. */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_ELIMINATION_H
#define TAREI_ENGINE_LOWER_PRODUCTS_ELIMINATION_H

#include <stddef.h>

/* The determinant of a matrix of n x n, which is overwritten; 1 where n is 0. */
double tarei_determinant(double *a, size_t n);

/* The inverse of a matrix of n x n, which is overwritten. That of a singular one has elements that
 * are infinite or NaN. */
void tarei_invert(double *a, size_t n, double *out);

#endif
