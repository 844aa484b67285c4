/* Standard output and error of the run: how they flow to the agent, and when they are drained after the exit. */
#ifndef HANDRAIL_OUTPUT_H
#define HANDRAIL_OUTPUT_H

#include <poll.h>
#include <stdint.h>

/* Takes over the non-blocking read ends. `credit`: bytes that may be sent until the agent grants more. */
void output_open(const int fds[2], uint32_t credit);
void output_grant(uint32_t bytes, int64_t now_ms);
/* The child has exited: what the pipes hold is owed, then quiet is awaited. */
void output_exited(int64_t now_ms);
/* True if all that is owed was sent and the pipes are quiet or closed. Ask after output_handle. */
int output_drained(int64_t now_ms);
/* From here on what comes is read and dropped, so that background processes neither block nor get SIGPIPE. */
void output_discard(void);
/* Sends what the pipes hold at this moment, credit or not. */
void output_rest(void);
/* Fills the two places. */
void output_poll(struct pollfd places[2], int64_t now_ms);
/* Longest time to poll in ms, -1 for no limit. */
int output_patience_ms(int64_t now_ms);
void output_handle(const struct pollfd places[2], int64_t now_ms);

#endif
