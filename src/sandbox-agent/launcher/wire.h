/* The supervisor's end of the connection to the agent. One connection per process. */
#ifndef HANDRAIL_WIRE_H
#define HANDRAIL_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

/* Takes over the connected socket. */
void wire_open(int fd);
int wire_fd(void);
/* True once the agent has closed the connection. */
int wire_broken(void);
/* Room for OUTPUT_MAX bytes of payload; sends what waits if there is too little. Valid until the next call. */
unsigned char *wire_room(void);
/* Makes a frame of the first `length` bytes of the room. It waits for wire_flush. */
void wire_commit(enum event type, size_t length);
/* A frame of up to three numbers. */
void wire_numbers(enum event type, int count, uint32_t a, uint32_t b, uint32_t c);
/* Sends what waits; blocks until the socket has taken it all. */
void wire_flush(void);
/*
 * Sends what waits, says that nothing more comes, and waits until the agent has closed its end too: a socket that is
 * closed with unread commands in it takes from the agent what it has not read yet.
 */
void wire_finish(void);
/* Reads exactly `length` bytes, blocking. 0 on success, -1 if the connection closed. */
int wire_read_exactly(void *into, size_t length);
/* Reads what is there without blocking and calls `handle` for each complete frame. */
void wire_receive(void (*handle)(enum command type, const unsigned char *payload, size_t length));

#endif
