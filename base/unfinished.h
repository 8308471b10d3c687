/* The list of unfinished files with a name, and of temporary folders that hold such files, so that
 * a program that must end at once can remove them. */
#ifndef TAREI_BASE_UNFINISHED_H
#define TAREI_BASE_UNFINISHED_H

#include <stdbool.h>

/* Adds a file or folder, and returns a mark for tarei_unfinished_remove. The mark is 0 if the list
 * is full: the file then remains if the program is killed, with no other consequence. Thread-safe.
 */
int tarei_unfinished_add(const char *path);
void tarei_unfinished_remove(int mark); /* 0 does nothing */

/* Makes a folder as mkdtemp does, whose name is in the list before it is there. False where it
 * cannot be made, with errno. */
bool tarei_unfinished_folder(char *path, int *mark);

#endif
