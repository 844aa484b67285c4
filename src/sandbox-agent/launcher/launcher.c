/*
 * Starts processes for the agent. `launcher DIRECTORY` listens on DIRECTORY/launch.sock and prints `ready`; each
 * connection is one run, which a supervisor process of its own serves. End of standard input ends everything.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"
#include "supervisor.h"
#include "tree.h"

enum { RUNS_MAX = 8192, SPARES = 2, REFUSED_MAX = 64, ROUND_MS = 5, PATIENCE_ROUNDS = 1200, RETRY_MS = 50 };

/* A supervisor; a spare one waits for a connection by itself. */
struct supervisor {
  pid_t pid;
  int spare;
};

static struct supervisor supervisors[RUNS_MAX];
static int supervisor_count;
static const char *directory;
static int listener = -1, signals = -1, null = -1;
/* Connections that were told that they are not served. */
static int refused[REFUSED_MAX];
static int refused_count;
/* Spare supervisors write their process id here when they take a connection. */
static int taken[2];

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "launcher: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void forget(pid_t pid) {
  for (int i = 0; i < supervisor_count; i++)
    if (supervisors[i].pid == pid) supervisors[i--] = supervisors[--supervisor_count];
}

static void note_taken(void) {
  pid_t pid;
  while (read(taken[0], &pid, sizeof pid) == sizeof pid)
    for (int i = 0; i < supervisor_count; i++)
      if (supervisors[i].pid == pid) supervisors[i].spare = 0;
}

/*
 * Reaps all that ended and wakes what was stopped. True if a supervisor was killed, so that its processes are children
 * of this process.
 */
static int reap(void) {
  int status, strays = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    if (WIFSTOPPED(status)) {
      kill(pid, SIGCONT);
      continue;
    }
    if (WIFSIGNALED(status)) strays = 1;
    forget(pid);
  }
  return strays;
}

/* One round against processes whose supervisor was killed. True if there were any. */
static int kill_strays(void) {
  static pid_t except[RUNS_MAX];
  for (int i = 0; i < supervisor_count; i++) except[i] = supervisors[i].pid;
  struct tree tree = {getpid(), except, supervisor_count};
  tree_kill_round(&tree);
  return tree_count(&tree) > 0;
}

/* Closes one refused connection, if the agent has closed it or it has to make room. */
static void drop_refused(int i) {
  close(refused[i]);
  refused[i] = refused[--refused_count];
}

/* Reads and drops what refused connections bring until the agent closes them, so that it reads the answer. */
static void drain_refused(void) {
  char bytes[4096];
  for (int i = 0; i < refused_count;) {
    ssize_t n = recv(refused[i], bytes, sizeof bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) drop_refused(i);
    else if (n < 0) i++;
  }
}

/* Answers that no supervisor could be made. */
static void refuse(int connection, int error) {
  unsigned char frame[FRAME_HEADER + 8];
  put_number(frame, 8);
  frame[4] = EVENT_FAILED;
  put_number(frame + FRAME_HEADER, STAGE_FORK);
  put_number(frame + FRAME_HEADER + 4, (uint32_t)error);
  send(connection, frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (refused_count == REFUSED_MAX) drop_refused(0);
  refused[refused_count++] = connection;
}

/* The life of a spare supervisor until it takes a connection. */
static int await_connection(int own_signals) {
  for (;;) {
    struct pollfd places[2] = {{listener, POLLIN, 0}, {own_signals, POLLIN, 0}};
    if (poll(places, 2, -1) < 0) continue;
    if (places[1].revents) _exit(0);
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) return connection;
  }
}

/* Makes a supervisor for the connection, or a spare one if it is -1. 0 on success, -1 with errno. */
static int make_supervisor(int connection) {
  pid_t self = getpid();
  pid_t pid = supervisor_count < RUNS_MAX ? fork() : (errno = EAGAIN, -1);
  if (pid < 0) return -1;
  if (pid > 0) {
    supervisors[supervisor_count++] = (struct supervisor){pid, connection < 0};
    return 0;
  }
  close(signals);
  close(taken[0]);
  for (int i = 0; i < refused_count; i++) close(refused[i]);
  for (int i = 0; i < 3; i++) dup2(null, i);
  close(null);
  int own_signals = supervisor_prepare(self);
  if (connection < 0) {
    connection = await_connection(own_signals);
    pid_t own = getpid();
    if (write(taken[1], &own, sizeof own) != sizeof own) _exit(1);
  }
  close(listener);
  close(taken[1]);
  supervise(connection, directory);
}

/* Makes the spare supervisors that are missing, as far as it can. Returns how many there are. */
static int make_spares(void) {
  int spares = 0;
  for (int i = 0; i < supervisor_count; i++) spares += supervisors[i].spare;
  while (spares < SPARES && make_supervisor(-1) == 0) spares++;
  return spares;
}

/* Takes a connection that no spare supervisor was there for. */
static void serve(void) {
  int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) {
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) poll(NULL, 0, ROUND_MS);
    return;
  }
  if (make_supervisor(connection) == 0) close(connection);
  else refuse(connection, errno);
}

/* Every supervisor kills its tree and ends; waits for them. */
static void end_all(void) {
  for (int i = 0; i < supervisor_count; i++) kill(supervisors[i].pid, SIGTERM);
  for (int round = 0; supervisor_count > 0 && round < PATIENCE_ROUNDS; round++) {
    struct pollfd place = {signals, POLLIN, 0};
    struct signalfd_siginfo info;
    poll(&place, 1, ROUND_MS);
    while (read(signals, &info, sizeof info) > 0) continue;
    reap();
  }
  for (int round = 0; round < PATIENCE_ROUNDS && kill_strays(); round++) reap();
}

static void listen_there(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/launch.sock", directory);
  if (length >= (int)sizeof address.sun_path) errno = ENAMETOOLONG, give_up("directory");
  unlink(address.sun_path);
  listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) give_up("socket");
  mode_t mask = umask(0177);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) give_up("bind");
  umask(mask);
  if (listen(listener, 1024) != 0) give_up("listen");
}

static void prepare(void) {
  struct stat own, named;
  char path[32];
  sigset_t watched;
  setsid();
  prctl(PR_SET_NAME, "handrail-launch");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int fd = 3; fd < 1024; fd++) close(fd);
  for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGPIPE);
  sigprocmask(SIG_SETMASK, &watched, NULL);
  sigdelset(&watched, SIGPIPE);
  signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (signals < 0 || null < 0 || pipe2(taken, O_CLOEXEC) != 0) give_up("start");
  fcntl(taken[0], F_SETFL, O_NONBLOCK);
  snprintf(path, sizeof path, "/proc/%d", (int)getpid());
  if (stat("/proc/self", &own) != 0 || stat(path, &named) != 0) give_up("/proc");
  if (own.st_ino != named.st_ino) errno = ESRCH, give_up("/proc of another process namespace");
}

int main(int argc, char **argv) {
  if (argc != 2 || argv[1][0] != '/') {
    fputs("usage: launcher DIRECTORY (absolute)\n", stderr);
    return 2;
  }
  directory = argv[1];
  prepare();
  listen_there();
  make_spares();
  if (write(1, "ready\n", 6) != 6) return 1;
  dup2(null, 1);
  for (int strays = 0;;) {
    int spares = make_spares();
    int patience = strays ? ROUND_MS : spares < SPARES ? RETRY_MS : -1;
    struct pollfd places[4 + REFUSED_MAX] = {
        {0, POLLIN, 0}, {signals, POLLIN, 0}, {taken[0], POLLIN, 0}, {spares == 0 ? listener : -1, POLLIN, 0}};
    for (int i = 0; i < refused_count; i++) places[4 + i] = (struct pollfd){refused[i], POLLIN, 0};
    struct signalfd_siginfo info;
    char byte;
    poll(places, (nfds_t)(4 + refused_count), patience);
    if (places[0].revents && read(0, &byte, 1) <= 0) break;
    int terminated = 0;
    while (read(signals, &info, sizeof info) > 0) terminated |= info.ssi_signo == SIGTERM;
    if (terminated) break;
    note_taken();
    drain_refused();
    strays |= reap();
    if (strays) strays = kill_strays();
    if (places[3].revents) serve();
  }
  end_all();
  return 0;
}
