/* Finds and signals the descendants of a process by the parents that /proc names. */
#ifndef HANDRAIL_TREE_H
#define HANDRAIL_TREE_H

#include <sys/types.h>

/* Whose descendants, and which of them to leave out together with theirs. */
struct tree {
  pid_t root;
  const pid_t *except;
  int except_count;
};

/* Number of living descendants; zombies are not counted. */
int tree_count(const struct tree *tree);
/* Sends SIGTERM to every living descendant and wakes the stopped ones. Returns how many had not been signalled before. */
int tree_terminate(const struct tree *tree);
/*
 * One round of a kill: stops all descendants, so that none forks any more, then kills them. Returns how many had not
 * been signalled before. Repeat until waitpid says ECHILD: what was forked during a round is found by the next.
 */
int tree_kill_round(const struct tree *tree);

#endif
