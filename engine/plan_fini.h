/* The end of a plan and of its parts. */
#ifndef TAREI_ENGINE_PLAN_FINI_H
#define TAREI_ENGINE_PLAN_FINI_H

#include "engine/plan.h"

/* Frees what plan, whole or part, holds itself; not the graph of a part, which its node owns. */
void tarei_plan_fini(tare_plan *plan);

#endif
