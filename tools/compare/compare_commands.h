/* The commands that repeat the calibration and the build of one strategy. */
#ifndef TAREI_TOOLS_COMPARE_COMPARE_COMMANDS_H
#define TAREI_TOOLS_COMPARE_COMPARE_COMMANDS_H

#include "tools/compare/compare_grid.h"
#include "tools/options/length_inputs.h"
#include "tools/options/recorded.h"

typedef struct compare_commands {
  const opt_inputs *in;
  const recorded *options; /* as given to `tare compare` */
  const tare_profiles *profiles;
  const length_inputs *lengths;
  bool keep_layers;        /* the calibration raises none */
  const cli_list *outputs; /* names for the files; others are made of the model's */
} compare_commands;

/* Lines for a shell, which the caller frees. */
char *compare_calibrate_command(const compare_commands *c, const grid *g, int strategy);
char *compare_build_command(const compare_commands *c, const grid_strategy *s);

#endif
