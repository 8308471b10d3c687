/* The graph section of a plan file: what runs, as fields; constants as numbers of data blocks. */
#ifndef TAREI_ENGINE_FILE_GRAPH_FILE_H
#define TAREI_ENGINE_FILE_GRAPH_FILE_H

#include "engine/file/wire.h"
#include "engine/part.h"

/* Where a constant's bytes are. Values reach plan files. */
enum { TAREI_CONST_NONE = 0, TAREI_CONST_BLOCK = 1, TAREI_CONST_PACKED = 2 };

/* Scale and zero point of bytes, likewise; behind the last two stands the zero point. */
enum {
  TAREI_FORM_SYMMETRIC = 0, /* 128 */
  TAREI_FORM_UNSIGNED = 1,  /* 0 */
  TAREI_FORM_STATED = 2,    /* by the model */
  TAREI_FORM_UNEVEN = 3,    /* 1..127 */
};

/* Writes the values and nodes that the part uses; the bytes of each constant read at run time are
 * appended to `constants` (borrowed), whose numbers stand in the section. */
void tarei_graph_put(tarei_writer *w, const tarei_part *part, tarei_blobs *constants);

/* Reads a section back; constants are blocks of `constants`, in order. Every index, rank, count and
 * size is checked; what nodes make has to be inferred. */
tare_status tarei_graph_get(tarei_reader *r, const tarei_blobs *constants,
                            const tare_limits *limits, tarei_graph **out, tare_error *err);

#endif
