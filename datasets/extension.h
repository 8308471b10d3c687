/* What the name of a file ends in. */
#ifndef TAREI_DATASETS_EXTENSION_H
#define TAREI_DATASETS_EXTENSION_H

#include <stdbool.h>

/* Whether a path ends in "." and one of the extensions, lower case without dot, NULL-terminated.
 * The path may have any case. */
bool tarei_has_extension(const char *path, const char *const *extensions);

#endif
