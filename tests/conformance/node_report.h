/* Results of the node tests by operator and by types, in 80 columns. */
#ifndef TAREI_TESTS_CONFORMANCE_NODE_REPORT_H
#define TAREI_TESTS_CONFORMANCE_NODE_REPORT_H

#include "conformance/table.h"

/* all: also the operators of which every case passes. */
void node_report(const table *results, bool all);

/* The class of types that a case belongs to by what is most special about it: "float32",
 * "integers", "float8", ... */
const char *family_of(const char *types);
/* Whether tare has tensors of that class. */
bool family_is_known(const char *family);

#endif
