/* How long waiting threads of OpenMP spin before they sleep. */
#ifndef TARE_TOOLS_SPIN_H
#define TARE_TOOLS_SPIN_H

/* Sees to it that they soon sleep, unless the user's environment says how they wait; may start the
 * program anew with the same arguments. */
void spin_little(char **argv);

#endif
