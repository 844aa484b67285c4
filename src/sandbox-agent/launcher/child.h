/* Reads the request of a run and starts its process. */
#ifndef HANDRAIL_CHILD_H
#define HANDRAIL_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "protocol.h"

/* A parsed request. Everything it points to lives until request_free. */
struct request {
  int with_stdin;
  int with_script;
  uint32_t credit;
  char *cwd;
  /* NULL-terminated, with a free place for the path of the script. */
  char **argv;
  char **env;
  const unsigned char *script;
  size_t script_length;
  unsigned char *storage;
};

/* A started process and our ends of its pipes. */
struct child {
  pid_t pid;
  /* Read ends of standard output and error, non-blocking. */
  int output[2];
  /* Write end of standard input, non-blocking; -1 if it is empty. */
  int input;
};

/* Where and why something failed. */
struct failure {
  enum stage stage;
  int error;
};

/* Reads the first frame. 0 on success, -1 with the failure; its error is 0 if the connection closed. */
int request_read(struct request *request, struct failure *failure);
void request_free(struct request *request);
/* Writes the script to a new private file. 0 on success, -1 with the failure. */
int script_write(const struct request *request, const char *path, struct failure *failure);
/* Starts the process in a session of its own; returns once its program is loaded. 0, or -1 with the failure. */
int child_start(const struct request *request, struct child *child, struct failure *failure);

#endif
