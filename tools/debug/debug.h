/* The commands of `tare debug`, each with arguments of its own, argv[0] being "tare debug NAME". */
#ifndef TAREI_TOOLS_DEBUG_DEBUG_H
#define TAREI_TOOLS_DEBUG_DEBUG_H

int debug_compare(int argc, char **argv);
int debug_reduce(int argc, char **argv);
int debug_sensitivity(int argc, char **argv);

#endif
