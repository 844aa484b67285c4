/* A supervisor: the process that owns one run and is the parent of all its orphans. */
#ifndef HANDRAIL_SUPERVISOR_H
#define HANDRAIL_SUPERVISOR_H

#include <sys/types.h>

/*
 * Makes this process, a fresh child of the launcher, a supervisor: parent of orphans, and told by a SIGTERM when the
 * launcher dies. Returns a descriptor that is readable once a signal has come.
 */
int supervisor_prepare(pid_t launcher);
/* Runs what the connection asks for and ends this process when no descendant lives. `directory` is absolute. */
_Noreturn void supervise(int connection, const char *directory);

#endif
