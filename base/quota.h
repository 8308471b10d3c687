/* The share of the machine's time that the control groups of this process grant it, as containers
 * and batch systems set it. */
#ifndef TAREI_BASE_QUOTA_H
#define TAREI_BASE_QUOTA_H

/* Cores' worth of time that may be used at once; HUGE_VAL without a limit, or where the system does
 * not tell. `root` is "" for this system: tests have trees of their own.
 * Source: Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst. */
double tarei_cpu_quota(const char *root);

#endif
