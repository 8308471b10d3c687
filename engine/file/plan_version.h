/* The version of plan files (docs/formats.md). */
#ifndef TAREI_ENGINE_FILE_PLAN_VERSION_H
#define TAREI_ENGINE_FILE_PLAN_VERSION_H

#define TAREI_PLAN_MAJOR 16u /* raised when old readers would go wrong */
#define TAREI_PLAN_MINOR 0u

#endif
