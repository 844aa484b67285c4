#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINGER_MS = 60 * 1000 };

static int connection = -1;
static int broken;
static unsigned char outbox[2 * (FRAME_HEADER + OUTPUT_MAX)];
static size_t outbox_used;
static unsigned char inbox[FRAME_HEADER + STDIN_WINDOW];
static size_t inbox_used;

void wire_open(int fd) { connection = fd; }

int wire_fd(void) { return connection; }

int wire_broken(void) { return broken; }

void wire_flush(void) {
  size_t sent = 0;
  while (!broken && sent < outbox_used) {
    ssize_t n = send(connection, outbox + sent, outbox_used - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += (size_t)n;
    } else if (n == 0 || errno != EINTR) {
      broken = 1;
    }
  }
  outbox_used = 0;
}

void wire_finish(void) {
  wire_flush();
  if (broken) return;
  shutdown(connection, SHUT_WR);
  for (;;) {
    struct pollfd place = {connection, POLLIN, 0};
    int ready = poll(&place, 1, LINGER_MS);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    ssize_t n = recv(connection, inbox, sizeof inbox, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

unsigned char *wire_room(void) {
  if (sizeof outbox - outbox_used < FRAME_HEADER + OUTPUT_MAX) wire_flush();
  return outbox + outbox_used + FRAME_HEADER;
}

void wire_commit(enum event type, size_t length) {
  put_number(outbox + outbox_used, (uint32_t)length);
  outbox[outbox_used + 4] = (unsigned char)type;
  outbox_used += FRAME_HEADER + length;
}

void wire_numbers(enum event type, int count, uint32_t a, uint32_t b, uint32_t c) {
  unsigned char *room = wire_room();
  put_number(room, a);
  put_number(room + 4, b);
  put_number(room + 8, c);
  wire_commit(type, (size_t)count * 4);
}

int wire_read_exactly(void *into, size_t length) {
  unsigned char *at = into;
  while (length > 0) {
    ssize_t n = recv(connection, at, length, 0);
    if (n > 0) {
      at += n;
      length -= (size_t)n;
    } else if (n == 0 || errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

void wire_receive(void (*handle)(enum command type, const unsigned char *payload, size_t length)) {
  for (;;) {
    ssize_t n = recv(connection, inbox + inbox_used, sizeof inbox - inbox_used, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      broken = 1;
      return;
    }
    inbox_used += (size_t)n;
    size_t at = 0;
    while (inbox_used - at >= FRAME_HEADER) {
      size_t length = get_number(inbox + at);
      if (length > sizeof inbox - FRAME_HEADER) {
        broken = 1;
        return;
      }
      if (inbox_used - at < FRAME_HEADER + length) break;
      handle((enum command)inbox[at + 4], inbox + at + FRAME_HEADER, length);
      at += FRAME_HEADER + length;
    }
    inbox_used -= at;
    memmove(inbox, inbox + at, inbox_used);
  }
}
