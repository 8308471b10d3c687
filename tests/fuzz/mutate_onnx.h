/* What the mutations of ONNX models share. All memory of a mutation is one arena, so that messages
 * can share parts. */
#ifndef TAREI_TESTS_FUZZ_MUTATE_ONNX_H
#define TAREI_TESTS_FUZZ_MUTATE_ONNX_H

#include <stddef.h>
#include <stdint.h>

#include "onnx.pb-c.h"

/* NULL where the arena is full. */
void *fuzz_arena(size_t size);

/* 0..n - 1 from the state of the mutation. */
uint32_t fuzz_pick(size_t n);

/* The array with room for one more, or NULL. */
void *fuzz_grown(const void *items, size_t n, size_t size);

/* A name that something of the graph has. */
char *fuzz_any_name(const Onnx__GraphProto *g);

/* Numbers that are at the edge of something, or near the old one. */
int64_t fuzz_integer(int64_t old);
float fuzz_real(void);

/* Changes a number of the list, or its length. */
void fuzz_mutate_integers(int64_t **items, size_t *n);

/* Gives the node an attribute of any operator (attributes_onnx.c). */
void fuzz_add_attribute(Onnx__NodeProto *node);

/* Adds nodes as exporters write them: bodies, quantized edges, computed shapes (grow_onnx.c). */
void fuzz_grow_graph(Onnx__GraphProto *g);

#endif
