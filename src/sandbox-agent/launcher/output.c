#include "output.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wire.h"

enum {
  QUIET_MS = 50,
  DRAIN_MS = 250,
  /* After a small piece, further small pieces are gathered for this long. */
  GATHER_MS = 2,
  GATHER_BELOW = 4096,
  DISCARD_PAUSE_MS = 100
};

static enum { FLOWING, DRAINING, DISCARDING } mode;
static int pipes[2] = {-1, -1};
static int owed[2];
static uint32_t credit;
static int64_t hold_until, exited_at, last_byte_at, blocked_since;

static void shut(int i) {
  close(pipes[i]);
  pipes[i] = -1;
}

static int held_bytes(int i) {
  int bytes = 0;
  if (pipes[i] < 0 || ioctl(pipes[i], FIONREAD, &bytes) != 0) return 0;
  return bytes;
}

void output_open(const int fds[2], uint32_t first_credit) {
  for (int i = 0; i < 2; i++) pipes[i] = fds[i];
  credit = first_credit;
}

void output_grant(uint32_t bytes, int64_t now_ms) {
  credit = bytes > UINT32_MAX - credit ? UINT32_MAX : credit + bytes;
  if (blocked_since == 0 || credit == 0) return;
  exited_at += now_ms - blocked_since;
  last_byte_at += now_ms - blocked_since;
  blocked_since = 0;
}

void output_exited(int64_t now_ms) {
  mode = DRAINING;
  exited_at = last_byte_at = now_ms;
  for (int i = 0; i < 2; i++) owed[i] = held_bytes(i);
  if (credit == 0) blocked_since = now_ms;
}

int output_drained(int64_t now_ms) {
  if (pipes[0] < 0 && pipes[1] < 0) return 1;
  if (credit == 0) return 0;
  for (int i = 0; i < 2; i++)
    if (pipes[i] >= 0 && owed[i] > 0) return 0;
  return now_ms - last_byte_at >= QUIET_MS || now_ms - exited_at >= DRAIN_MS;
}

void output_discard(void) {
  mode = DISCARDING;
  hold_until = 0;
}

/* Reads one piece of at most `most` bytes into a frame. Returns its length; closes the pipe at its end. */
static size_t move_piece(int i, size_t most) {
  ssize_t n = read(pipes[i], wire_room(), most);
  if (n > 0) {
    wire_commit(i == 0 ? EVENT_STDOUT : EVENT_STDERR, (size_t)n);
    return (size_t)n;
  }
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) shut(i);
  return 0;
}

void output_rest(void) {
  for (int i = 0; i < 2; i++) {
    for (int left = held_bytes(i); left > 0 && pipes[i] >= 0;) {
      size_t moved = move_piece(i, left < OUTPUT_MAX ? (size_t)left : OUTPUT_MAX);
      if (moved == 0) break;
      left -= (int)moved;
    }
  }
}

static int may_read(int64_t now_ms) {
  if (mode == DRAINING) return credit > 0;
  return now_ms >= hold_until && (mode == DISCARDING || credit > 0);
}

void output_poll(struct pollfd places[2], int64_t now_ms) {
  for (int i = 0; i < 2; i++) {
    places[i].fd = may_read(now_ms) ? pipes[i] : -1;
    places[i].events = POLLIN;
    places[i].revents = 0;
  }
}

int output_patience_ms(int64_t now_ms) {
  if (pipes[0] < 0 && pipes[1] < 0) return -1;
  if (mode != DISCARDING && credit == 0) return -1;
  if (mode != DRAINING) return now_ms < hold_until ? (int)(hold_until - now_ms) : -1;
  int64_t quiet = last_byte_at + QUIET_MS - now_ms, end = exited_at + DRAIN_MS - now_ms;
  int64_t wait = quiet < end ? quiet : end;
  return wait > 0 ? (int)wait : 0;
}

void output_handle(const struct pollfd places[2], int64_t now_ms) {
  size_t largest = 0;
  int moved_any = 0;
  for (int i = 0; i < 2; i++) {
    if (places[i].fd < 0 || places[i].revents == 0 || pipes[i] < 0) continue;
    moved_any = 1;
    if (mode == DISCARDING) {
      ssize_t n = read(pipes[i], wire_room(), OUTPUT_MAX);
      if (n == 0) shut(i);
      if (n > 0 && (size_t)n > largest) largest = (size_t)n;
      continue;
    }
    if (credit == 0) continue;
    size_t moved = move_piece(i, credit < OUTPUT_MAX ? credit : OUTPUT_MAX);
    if (moved > largest) largest = moved;
    if (moved == 0) continue;
    credit -= (uint32_t)moved;
    owed[i] = owed[i] > (int)moved ? owed[i] - (int)moved : 0;
    last_byte_at = now_ms;
    if (credit == 0 && mode == DRAINING) blocked_since = now_ms;
  }
  if (!moved_any) return;
  if (mode == DISCARDING) hold_until = largest < OUTPUT_MAX ? now_ms + DISCARD_PAUSE_MS : 0;
  else hold_until = largest > 0 && largest < GATHER_BELOW ? now_ms + GATHER_MS : 0;
}
