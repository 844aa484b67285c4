/*
 * The frames between the agent and a supervisor. One frame is the length of its payload (4 bytes, low byte first),
 * its type (1 byte) and the payload. Numbers in payloads are 4 bytes, low byte first.
 */
#ifndef HANDRAIL_PROTOCOL_H
#define HANDRAIL_PROTOCOL_H

#include <stdint.h>

/* Agent to supervisor. */
enum command {
  /* First frame: byte with-stdin, byte with-script, numbers argc, envc, output credit, script length; then cwd, argv
     and env as NUL-terminated strings; then the script. */
  COMMAND_START = 1,
  /* Bytes for standard input; at most STDIN_WINDOW may be without an EVENT_STDIN_TAKEN. */
  COMMAND_STDIN = 2,
  /* Standard input ends. */
  COMMAND_STDIN_END = 3,
  /* Number: ms between SIGTERM and SIGKILL; 0 is SIGKILL at once. */
  COMMAND_TERMINATE = 4,
  /* Number: further bytes of output that may be sent. */
  COMMAND_CREDIT = 5
};

/* Supervisor to agent. */
enum event {
  /* Numbers: process id of the child, process id of the supervisor. */
  EVENT_STARTED = 1,
  /* Numbers: stage, errno. Nothing runs; the connection closes. */
  EVENT_FAILED = 2,
  EVENT_STDOUT = 3,
  EVENT_STDERR = 4,
  /* Numbers: kind (0 code, 1 signal), value, living descendants. */
  EVENT_EXIT = 5,
  /* Number: distinct processes that a termination ended. */
  EVENT_KILLED = 6,
  /* No descendant lives; the connection closes. */
  EVENT_GONE = 7,
  /* Number: bytes of standard input that were handed over or dropped. */
  EVENT_STDIN_TAKEN = 8
};

/* Where a start failed. */
enum stage {
  STAGE_REQUEST = 1,
  STAGE_SCRIPT = 2,
  STAGE_PIPES = 3,
  STAGE_FORK = 4,
  STAGE_CWD = 5,
  STAGE_EXEC = 6
};

enum {
  FRAME_HEADER = 5,
  /* Most payload of an output frame. */
  OUTPUT_MAX = 64 * 1024,
  STDIN_WINDOW = 64 * 1024,
  REQUEST_MAX = 32 * 1024 * 1024
};

static inline void put_number(unsigned char *at, uint32_t value) {
  at[0] = value & 0xff;
  at[1] = value >> 8 & 0xff;
  at[2] = value >> 16 & 0xff;
  at[3] = value >> 24;
}

static inline uint32_t get_number(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#endif
