#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PID_LIMIT = 4 * 1024 * 1024, ENTRIES_MAX = 64 * 1024 };

struct entry {
  pid_t pid;
  pid_t parent;
  int dead;
};

static struct entry entries[ENTRIES_MAX];
static int entry_count;
static unsigned char in_tree[PID_LIMIT / 8];
static unsigned char signalled[PID_LIMIT / 8];

static int has(const unsigned char *set, pid_t pid) { return set[pid / 8] >> (pid % 8) & 1; }

static void add(unsigned char *set, pid_t pid) { set[pid / 8] |= (unsigned char)(1 << (pid % 8)); }

/* Reads pid, parent and whether it is a zombie without living threads. 0 on success. */
static int read_entry(int proc, const char *name, struct entry *entry) {
  char path[32], text[1024], state;
  int threads, parent;
  snprintf(path, sizeof path, "%.20s/stat", name);
  int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return -1;
  text[n] = 0;
  const char *after_name = strrchr(text, ')');
  if (!after_name) return -1;
  if (sscanf(after_name + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state,
             &parent, &threads) != 3)
    return -1;
  entry->pid = atoi(name);
  entry->parent = parent;
  entry->dead = (state == 'Z' || state == 'X') && threads <= 1;
  return entry->pid > 0 && entry->pid < PID_LIMIT && parent >= 0 && parent < PID_LIMIT ? 0 : -1;
}

static int excepted(const struct tree *tree, pid_t pid) {
  for (int i = 0; i < tree->except_count; i++)
    if (tree->except[i] == pid) return 1;
  return 0;
}

/* Leaves exactly the living descendants in `entries`. */
static void find(const struct tree *tree) {
  entry_count = 0;
  DIR *proc = opendir("/proc");
  if (!proc) return;
  for (struct dirent *item; (item = readdir(proc)) && entry_count < ENTRIES_MAX;) {
    if (item->d_name[0] < '1' || item->d_name[0] > '9') continue;
    if (read_entry(dirfd(proc), item->d_name, &entries[entry_count]) == 0) entry_count++;
  }
  closedir(proc);

  add(in_tree, tree->root);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < entry_count; i++) {
      const struct entry *entry = &entries[i];
      if (has(in_tree, entry->pid) || !has(in_tree, entry->parent) || excepted(tree, entry->pid)) continue;
      add(in_tree, entry->pid);
      changed = 1;
    }
  }
  int kept = 0;
  in_tree[tree->root / 8] &= (unsigned char)~(1 << (tree->root % 8));
  for (int i = 0; i < entry_count; i++) {
    struct entry entry = entries[i];
    if (!has(in_tree, entry.pid)) continue;
    in_tree[entry.pid / 8] &= (unsigned char)~(1 << (entry.pid % 8));
    if (!entry.dead) entries[kept++] = entry;
  }
  entry_count = kept;
}

static int send_to_found(int signal) {
  int fresh = 0;
  for (int i = 0; i < entry_count; i++) {
    pid_t pid = entries[i].pid;
    if (kill(pid, signal) != 0 || has(signalled, pid)) continue;
    add(signalled, pid);
    fresh++;
  }
  return fresh;
}

int tree_count(const struct tree *tree) {
  find(tree);
  return entry_count;
}

int tree_terminate(const struct tree *tree) {
  find(tree);
  int fresh = send_to_found(SIGTERM);
  return fresh + send_to_found(SIGCONT);
}

int tree_kill_round(const struct tree *tree) {
  find(tree);
  int fresh = send_to_found(SIGSTOP);
  return fresh + send_to_found(SIGKILL);
}
