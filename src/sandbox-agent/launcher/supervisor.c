#include "supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "output.h"
#include "stdin_feed.h"
#include "tree.h"
#include "wire.h"

enum { ROUND_MS = 2, LAST_KILL_MS = 5000 };

static struct child child;
static char script_path[4096];
static int has_script, exited, exit_status, exit_told;
static enum { LIVING, GRACE, KILLING } state;
static uint32_t killed;
static int64_t kill_at, next_round_at;
static int signals = -1;

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct tree own_tree(void) { return (struct tree){getpid(), NULL, 0}; }

static void remove_script(void) {
  if (has_script) unlink(script_path);
  has_script = 0;
}

/* Reaps all that ended. True if no descendant is left. */
static int reap(void) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return 0;
    if (pid < 0 && errno == ECHILD) return 1;
    if (pid != child.pid || exited) continue;
    exited = 1;
    exit_status = status;
    remove_script();
    output_exited(now_ms());
  }
}

static void kill_round(void) {
  struct tree tree = own_tree();
  killed += (uint32_t)tree_kill_round(&tree);
}

/* True if a SIGTERM was among the signals. */
static int take_signals(void) {
  struct signalfd_siginfo info[8];
  int terminated = 0;
  for (;;) {
    ssize_t n = read(signals, info, sizeof info);
    if (n <= 0) return terminated;
    for (size_t i = 0; i < (size_t)n / sizeof info[0]; i++) terminated |= info[i].ssi_signo == SIGTERM;
  }
}

/* The agent or the launcher has gone: kills the tree and ends. */
static _Noreturn void die(void) {
  remove_script();
  int64_t end = now_ms() + LAST_KILL_MS;
  while (!reap() && now_ms() < end) {
    kill_round();
    if (reap()) break;
    struct pollfd place = {signals, POLLIN, 0};
    poll(&place, 1, ROUND_MS);
    take_signals();
  }
  wire_numbers(EVENT_KILLED, 1, killed, 0, 0);
  wire_finish();
  _exit(0);
}

static void tell_exit(int left) {
  int by_signal = WIFSIGNALED(exit_status);
  wire_numbers(EVENT_EXIT, 3, (uint32_t)by_signal,
               (uint32_t)(by_signal ? WTERMSIG(exit_status) : WEXITSTATUS(exit_status)), (uint32_t)left);
  exit_told = 1;
}

static _Noreturn void finish(void) {
  if (!exit_told) output_rest();
  if (state != LIVING) wire_numbers(EVENT_KILLED, 1, killed, 0, 0);
  if (!exit_told) tell_exit(0);
  feed_close();
  wire_numbers(EVENT_GONE, 0, 0, 0, 0);
  wire_finish();
  _exit(0);
}

static void terminate(uint32_t grace_ms) {
  int64_t at = now_ms() + grace_ms;
  if (state == LIVING || at < kill_at) kill_at = at;
  if (state == LIVING && grace_ms > 0) {
    struct tree tree = own_tree();
    killed += (uint32_t)tree_terminate(&tree);
  }
  if (state == LIVING) state = GRACE;
}

static void handle_command(enum command type, const unsigned char *payload, size_t length) {
  if (type == COMMAND_STDIN) {
    if (feed_add(payload, length) != 0) die();
    feed_pump();
  } else if (type == COMMAND_STDIN_END) {
    feed_end();
    feed_pump();
  } else if (type == COMMAND_TERMINATE && length == 4) {
    terminate(get_number(payload));
  } else if (type == COMMAND_CREDIT && length == 4) {
    output_grant(get_number(payload), now_ms());
  } else {
    die();
  }
}

static int sooner(int a, int64_t b) {
  if (b < 0) b = 0;
  return a < 0 || b < a ? (int)b : a;
}

static void wait_for_work(void) {
  int64_t now = now_ms();
  int patience = output_patience_ms(now);
  if (state == GRACE) patience = sooner(patience, kill_at - now);
  if (state == KILLING) patience = sooner(patience, next_round_at - now);
  enum { AGENT, SIGNALS, INPUT, OUTPUT };
  struct pollfd places[5] = {{wire_fd(), POLLIN, 0},
                             {signals, POLLIN, 0},
                             {feed_fd(), feed_waiting() ? POLLOUT : 0, 0}};
  output_poll(places + OUTPUT, now);
  if (poll(places, 5, patience) < 0) return;
  now = now_ms();
  output_handle(places + OUTPUT, now);
  if (places[INPUT].revents & POLLERR) feed_close();
  else if (places[INPUT].revents) feed_pump();
  if (places[AGENT].revents) wire_receive(handle_command);
  if (places[SIGNALS].revents && take_signals()) die();
}

static _Noreturn void run(void) {
  for (;;) {
    if (wire_broken()) die();
    if (reap()) finish();
    int64_t now = now_ms();
    if (state == GRACE && now >= kill_at) state = KILLING;
    if (state == KILLING && now >= next_round_at) {
      kill_round();
      next_round_at = now + ROUND_MS;
    }
    if (state == LIVING && exited && !exit_told && output_drained(now)) {
      struct tree tree = own_tree();
      tell_exit(tree_count(&tree));
      output_discard();
      feed_close();
    }
    wire_flush();
    wait_for_work();
  }
}

static _Noreturn void refuse(const struct failure *failure) {
  remove_script();
  if (failure->error != 0)
    wire_numbers(EVENT_FAILED, 2, (uint32_t)failure->stage, (uint32_t)failure->error, 0);
  wire_finish();
  _exit(0);
}

int supervisor_prepare(pid_t launcher) {
  sigset_t watched;
  prctl(PR_SET_NAME, "handrail-run");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != launcher) _exit(0);
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  return signals;
}

_Noreturn void supervise(int connection, const char *directory) {
  struct request request;
  struct failure failure = {STAGE_REQUEST, 0};
  wire_open(connection);
  if (request_read(&request, &failure) != 0) refuse(&failure);
  if (request.with_script) {
    snprintf(script_path, sizeof script_path, "%s/s%d", directory, (int)getpid());
    if (script_write(&request, script_path, &failure) != 0) refuse(&failure);
    has_script = 1;
    char **end = request.argv;
    while (*end) end++;
    *end = script_path;
  }
  if (signals < 0) {
    failure = (struct failure){STAGE_PIPES, EMFILE};
    refuse(&failure);
  }
  if (child_start(&request, &child, &failure) != 0) refuse(&failure);
  output_open(child.output, request.credit);
  feed_open(child.input);
  request_free(&request);
  wire_numbers(EVENT_STARTED, 2, (uint32_t)child.pid, (uint32_t)getpid(), 0);
  run();
}
