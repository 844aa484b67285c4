#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "wire.h"

enum { FIXED = 2 + 4 * 4 };

static int fail(struct failure *failure, enum stage stage, int error) {
  failure->stage = stage;
  failure->error = error;
  return -1;
}

/* The string at `*at`, which is moved behind it. NULL if it does not end before `end`. */
static char *take_string(unsigned char **at, unsigned char *end) {
  unsigned char *start = *at;
  unsigned char *nul = memchr(start, 0, (size_t)(end - start));
  if (!nul) return NULL;
  *at = nul + 1;
  return (char *)start;
}

static int take_strings(char **into, uint32_t count, unsigned char **at, unsigned char *end) {
  for (uint32_t i = 0; i < count; i++)
    if (!(into[i] = take_string(at, end))) return -1;
  return 0;
}

int request_read(struct request *request, struct failure *failure) {
  unsigned char header[FRAME_HEADER];
  memset(request, 0, sizeof *request);
  if (wire_read_exactly(header, sizeof header) != 0) return fail(failure, STAGE_REQUEST, 0);
  size_t length = get_number(header);
  if (header[4] != COMMAND_START || length < FIXED) return fail(failure, STAGE_REQUEST, EPROTO);
  if (length > REQUEST_MAX) return fail(failure, STAGE_REQUEST, E2BIG);
  unsigned char *storage = malloc(length);
  if (!storage) return fail(failure, STAGE_REQUEST, ENOMEM);
  request->storage = storage;
  if (wire_read_exactly(storage, length) != 0) return fail(failure, STAGE_REQUEST, 0);

  request->with_stdin = storage[0];
  request->with_script = storage[1];
  uint32_t argc = get_number(storage + 2), envc = get_number(storage + 6);
  request->credit = get_number(storage + 10);
  request->script_length = get_number(storage + 14);
  unsigned char *at = storage + FIXED, *end = storage + length;
  if (argc == 0 || argc > length || envc > length) return fail(failure, STAGE_REQUEST, EPROTO);
  request->argv = calloc(argc + 2, sizeof(char *));
  request->env = calloc(envc + 1, sizeof(char *));
  if (!request->argv || !request->env) return fail(failure, STAGE_REQUEST, ENOMEM);
  request->cwd = take_string(&at, end);
  if (!request->cwd || take_strings(request->argv, argc, &at, end) != 0 ||
      take_strings(request->env, envc, &at, end) != 0 || (size_t)(end - at) != request->script_length)
    return fail(failure, STAGE_REQUEST, EPROTO);
  request->script = at;
  return 0;
}

void request_free(struct request *request) {
  free(request->argv);
  free(request->env);
  free(request->storage);
  memset(request, 0, sizeof *request);
}

int script_write(const struct request *request, const char *path, struct failure *failure) {
  unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(failure, STAGE_SCRIPT, errno);
  for (size_t at = 0; at < request->script_length;) {
    ssize_t n = write(fd, request->script + at, request->script_length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int error = n < 0 ? errno : ENOSPC;
      close(fd);
      unlink(path);
      return fail(failure, STAGE_SCRIPT, error);
    }
    at += (size_t)n;
  }
  close(fd);
  return 0;
}
