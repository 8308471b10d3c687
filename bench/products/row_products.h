/* What a scale for each row costs an int8 linear layer. */
#ifndef TAREI_BENCH_PRODUCTS_ROW_PRODUCTS_H
#define TAREI_BENCH_PRODUCTS_ROW_PRODUCTS_H

/* Prints the times with row scales over those with static ones, for kernels of these features. */
void bench_row_products(unsigned isa);

#endif
