/* How a model fails as a whole, which its parts are compared with. */
#ifndef TAREI_TOOLS_DEBUG_REDUCE_GOAL_H
#define TAREI_TOOLS_DEBUG_REDUCE_GOAL_H

#include "tools/debug/reduce_work.h"

/* Loads the model, its table and its data, and tries it: `work` then has the goal, and the whole as
 * the first part. TARE_E_USAGE: the model does not fail. */
tare_status reduce_goal_find(const reduce_arguments *arguments, reduce_work *work, tare_error *err);

#endif
