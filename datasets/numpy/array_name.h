/* Names of arrays and of inputs. */
#ifndef TAREI_DATASETS_NUMPY_ARRAY_NAME_H
#define TAREI_DATASETS_NUMPY_ARRAY_NAME_H

#include <stdbool.h>

/* Whether a name is that of an input, possibly with _ for characters that are unusual in file
 * names. */
bool tarei_array_is_named(const char *name, const char *input);

#endif
