#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_all(int *fds, int count) {
  for (int i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]);
}

static void raise_oom_score(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t ignored = write(fd, "500", 3);
  (void)ignored;
  close(fd);
}

/* Runs in the new process, which shares the memory of its parent until it has loaded its program. */
static void become(const struct request *request, const int theirs[3], volatile struct failure *failure) {
  setsid();
  raise_oom_score();
  failure->stage = STAGE_CWD;
  if (chdir(request->cwd) == 0) {
    for (int i = 0; i < 3; i++) dup2(theirs[i], i);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    failure->stage = STAGE_EXEC;
    environ = request->env;
    execvp(request->argv[0], request->argv);
  }
  failure->error = errno;
  _exit(127);
}

int child_start(const struct request *request, struct child *child, struct failure *failure) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  failure->stage = STAGE_PIPES;
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ||
      (request->with_stdin ? pipe2(in, O_CLOEXEC) : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)) {
    failure->error = errno;
    close_all(in, 2), close_all(out, 2), close_all(err, 2);
    return -1;
  }
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  if (in[1] >= 0) fcntl(in[1], F_SETFL, O_NONBLOCK);

  const int theirs[3] = {in[0], out[1], err[1]};
  volatile struct failure reported = {STAGE_FORK, 0};
  char **own_environment = environ;
  pid_t pid = vfork();
  if (pid == 0) become(request, theirs, &reported);
  if (pid < 0) reported.error = errno;
  environ = own_environment;
  close(in[0]), close(out[1]), close(err[1]);
  if (reported.error != 0) {
    if (pid > 0) waitpid(pid, NULL, 0);
    if (in[1] >= 0) close(in[1]);
    close(out[0]), close(err[0]);
    failure->stage = reported.stage;
    failure->error = reported.error;
    return -1;
  }
  child->pid = pid;
  child->output[0] = out[0];
  child->output[1] = err[0];
  child->input = in[1];
  return 0;
}
