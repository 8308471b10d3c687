/* Files that are not finished yet, so that a program that must end at once can take them away. */
#ifndef TAREI_BASE_UNFINISHED_H
#define TAREI_BASE_UNFINISHED_H

/* Notes a file. Gives a mark for the call below, 0 where no place is left: the file then stays
 * when the program is killed, and nothing else goes wrong. Any thread may call both. */
int tarei_unfinished_add(const char *path);
void tarei_unfinished_remove(int mark); /* 0 is fine */

#endif
