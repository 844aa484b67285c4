/* Standard input of the child: bytes that the agent sent and the child has not taken. */
#ifndef HANDRAIL_STDIN_FEED_H
#define HANDRAIL_STDIN_FEED_H

#include <stddef.h>

/* Takes over the non-blocking write end; -1 if there is none. */
void feed_open(int fd);
/* Descriptor to poll, -1 once it is closed. */
int feed_fd(void);
/* True if bytes wait for room in the pipe. */
int feed_waiting(void);
/* Adds bytes. -1 if the agent sent more than the window allows. */
int feed_add(const unsigned char *bytes, size_t length);
/* Closes the pipe once all bytes are written. */
void feed_end(void);
/* Writes what the pipe takes, and tells the agent. */
void feed_pump(void);
/* Closes the pipe; what waits is dropped, and the agent is told that it was taken. */
void feed_close(void);

#endif
