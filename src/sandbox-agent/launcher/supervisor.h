/* A supervisor: the process that owns one run and is the parent of all its orphans. */
#ifndef HANDRAIL_SUPERVISOR_H
#define HANDRAIL_SUPERVISOR_H

#include <sys/types.h>

/* Runs what the connection asks for and ends this process when no descendant lives. `directory` is absolute. */
_Noreturn void supervise(int connection, const char *directory, pid_t launcher);

#endif
