#include "stdin_feed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "wire.h"

static int pipe_end = -1;
static int ending;
static unsigned char waiting[STDIN_WINDOW];
static size_t first, used;

static void tell_taken(size_t length) {
  if (length > 0) wire_numbers(EVENT_STDIN_TAKEN, 1, (uint32_t)length, 0, 0);
}

void feed_open(int fd) { pipe_end = fd; }

int feed_fd(void) { return pipe_end; }

int feed_waiting(void) { return used > first; }

void feed_close(void) {
  if (pipe_end >= 0) close(pipe_end);
  pipe_end = -1;
  tell_taken(used - first);
  first = used = 0;
}

int feed_add(const unsigned char *bytes, size_t length) {
  if (pipe_end < 0) {
    tell_taken(length);
    return 0;
  }
  if (used - first + length > sizeof waiting) return -1;
  memmove(waiting, waiting + first, used - first);
  used -= first;
  first = 0;
  memcpy(waiting + used, bytes, length);
  used += length;
  return 0;
}

void feed_end(void) { ending = 1; }

void feed_pump(void) {
  if (pipe_end < 0) return;
  while (used > first) {
    ssize_t n = write(pipe_end, waiting + first, used - first);
    if (n > 0) {
      first += (size_t)n;
      tell_taken((size_t)n);
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n < 0 && errno != EAGAIN) feed_close();
      return;
    }
  }
  if (ending) feed_close();
}
