/*
 * Makes the n-th allocation, read, write, ... of a process fail. Preloaded.
 *
 * The process stops before main and serves as a mould: for each request on the socket it forks a
 * child, which runs main with one fault, and reports how the child ended. Linking and starting are
 * paid once, so that thousands of points take seconds.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

#include "fault/faults.h"

enum { SECONDS = 60 }; /* a child that takes longer hangs; SIGALRM ends it */

typedef struct shared {
  _Atomic int in_library;
  _Atomic long points[FAULT_COUNT];
} shared;

static shared *counts; /* NULL until the child runs */
static fault_request fault = {.kind = FAULT_NONE};

/* With TARE_FAULT_TRACE set, says where the fault is, and where it ends in a signal. */
static bool tracing;

enum { FRAMES = 64 };

static void trace(void) {
  void *frames[FRAMES];
  if (tracing) {
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
  }
}

static bool is_fragile(const char *const library) {
  return strstr(library, "libhdf5") || strstr(library, "libsndfile") ||
         strstr(library, "libarchive") || strstr(library, "libsentencepiece");
}

/* The C library loses what it has allocated for a locale where its next allocation fails. */
static bool is_locale(const char *const function) {
  return function && (strcmp(function, "setlocale") == 0 || strcmp(function, "newlocale") == 0);
}

/* At the fault: who met it? */
static void look_around(void) {
  void *frames[FRAMES];
  Dl_info from;
  const int n = backtrace(frames, FRAMES);
  for (int i = 0; i < n; i++) {
    if (dladdr(frames[i], &from) && from.dli_fname &&
        (is_fragile(from.dli_fname) || is_locale(from.dli_sname))) {
      atomic_store(&counts->in_library, 1);
    }
  }
  trace();
}

static void trace_signal(const int number) {
  (void)!write(STDERR_FILENO, "signal\n", 7);
  trace();
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

/* Passes a point of that kind; whether it is the one that fails. */
static bool fails(const int kind) {
  if (!counts) {
    return false;
  }
  const long n = atomic_fetch_add(&counts->points[kind], 1) + 1;
  const bool here = fault.kind == kind && n == fault.point;
  if (here) {
    look_around();
  }
  return here;
}

static void may_be_killed(void) {
  if (fails(FAULT_kill)) {
    (void)raise(SIGKILL);
  }
}

/* The function of that name behind this one. */
#define NEXT(name, type)                      \
  static type next;                           \
  if (!next) {                                \
    *(void **)&next = dlsym(RTLD_NEXT, name); \
  }

/* Read by LeakSanitizer where the command was built with it: what the library loses is its own, and
 * the loader keeps what backtrace has it load. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return counts && counts->in_library;
}
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:ld-linux\n"; /* by the file: not every machine has the names of its functions */
}

/* --- memory ----------------------------------------------------------------------------------- */

/* dlsym allocates while it looks for calloc. */
static _Alignas(64) char early[1 << 16];
static size_t early_used;

static void *take_early(const size_t bytes) {
  void *const at = early + early_used;
  early_used += (bytes + 63) / 64 * 64;
  return early_used <= sizeof early ? at : NULL;
}

static bool is_early(const void *const at) {
  return (const char *)at >= early && (const char *)at < early + sizeof early;
}

/* A thread that AddressSanitizer starts asks for its stack first, and ends the process where that
 * fails; the program's own code is not there yet. */
static _Thread_local __attribute__((tls_model("initial-exec"))) bool starting;

int pthread_getattr_np(const pthread_t thread, pthread_attr_t *const attr) {
  typedef int type(pthread_t, pthread_attr_t *);
  NEXT("pthread_getattr_np", type *)
  starting = true;
  const int status = next(thread, attr);
  starting = false;
  return status;
}

static bool no_memory(void) {
  if (starting) {
    return false;
  }
  const bool one = fails(FAULT_alloc), from_here = fails(FAULT_allocs);
  const bool none = counts && fault.kind == FAULT_allocs &&
                    atomic_load(&counts->points[FAULT_allocs]) >= fault.point;
  if (one || from_here || none) {
    errno = ENOMEM;
    return true;
  }
  return false;
}

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned)(size_t, size_t);
static int (*next_memalign)(void **, size_t, size_t);
static void (*next_free)(void *);

static bool find_allocator(void) {
  static bool looking;
  if (next_free) {
    return true;
  }
  if (looking) {
    return false;
  }
  looking = true;
  *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&next_aligned = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void **)&next_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void **)&next_free = dlsym(RTLD_NEXT, "free");
  looking = false;
  return true;
}

void *malloc(const size_t size) {
  return !find_allocator() ? take_early(size) : no_memory() ? NULL : next_malloc(size);
}
void *calloc(const size_t count, const size_t size) {
  return !find_allocator() ? take_early(count * size)
         : no_memory()     ? NULL
                           : next_calloc(count, size);
}
void *realloc(void *const at, const size_t size) {
  return !find_allocator() || is_early(at) || no_memory() ? NULL : next_realloc(at, size);
}
void *aligned_alloc(const size_t alignment, const size_t size) {
  return !find_allocator() || no_memory() ? NULL : next_aligned(alignment, size);
}
int posix_memalign(void **const out, const size_t alignment, const size_t size) {
  return !find_allocator() || no_memory() ? ENOMEM : next_memalign(out, alignment, size);
}
void free(void *const at) {
  if (find_allocator() && !is_early(at)) {
    next_free(at);
  }
}

/* --- the system ------------------------------------------------------------------------------- */

void *mmap(void *const at, const size_t size, const int protection, const int flags, const int fd,
           const off_t offset) {
  typedef void *type(void *, size_t, int, int, int, off_t);
  NEXT("mmap", type *)
  if (fails(FAULT_mmap)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next(at, size, protection, flags, fd, offset);
}

int pthread_create(pthread_t *const thread, const pthread_attr_t *const attributes,
                   void *(*const run)(void *), void *const user) {
  typedef int type(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  NEXT("pthread_create", type *)
  return fails(FAULT_thread) ? EAGAIN : next(thread, attributes, run, user);
}

static int fail_with(const int reason) {
  errno = reason;
  return -1;
}

int open(const char *const path, const int flags, ...) {
  typedef int type(const char *, int, ...);
  NEXT("open", type *)
  va_list args;
  va_start(args, flags);
  const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
  va_end(args);
  if (flags & (O_WRONLY | O_RDWR)) {
    may_be_killed();
  }
  return fails(FAULT_open) ? fail_with(EMFILE) : next(path, flags, mode);
}
int open64(const char *const path, const int flags, ...) {
  va_list args;
  va_start(args, flags);
  const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
  va_end(args);
  return open(path, flags, mode);
}
FILE *fopen(const char *const path, const char *const mode) {
  typedef FILE *type(const char *, const char *);
  NEXT("fopen", type *)
  if (fails(FAULT_open)) {
    errno = EMFILE;
    return NULL;
  }
  return next(path, mode);
}

ssize_t read(const int fd, void *const to, const size_t n) {
  typedef ssize_t type(int, void *, size_t);
  NEXT("read", type *)
  return fails(FAULT_read) ? fail_with(EIO) : next(fd, to, n);
}
ssize_t pread(const int fd, void *const to, const size_t n, const off_t at) {
  typedef ssize_t type(int, void *, size_t, off_t);
  NEXT("pread", type *)
  return fails(FAULT_read) ? fail_with(EIO) : next(fd, to, n, at);
}
ssize_t pread64(const int fd, void *const to, const size_t n, const off_t at) {
  return pread(fd, to, n, at);
}
size_t fread(void *const to, const size_t size, const size_t n, FILE *const file) {
  typedef size_t type(void *, size_t, size_t, FILE *);
  NEXT("fread", type *)
  if (fails(FAULT_read)) {
    errno = EIO;
    return 0;
  }
  return next(to, size, n, file);
}

ssize_t write(const int fd, const void *const from, const size_t n) {
  typedef ssize_t type(int, const void *, size_t);
  NEXT("write", type *)
  if (fd > STDERR_FILENO) {
    may_be_killed();
    if (fails(FAULT_write)) {
      return fail_with(ENOSPC);
    }
  }
  return next(fd, from, n);
}
ssize_t pwrite(const int fd, const void *const from, const size_t n, const off_t at) {
  typedef ssize_t type(int, const void *, size_t, off_t);
  NEXT("pwrite", type *)
  may_be_killed();
  return fails(FAULT_write) ? fail_with(ENOSPC) : next(fd, from, n, at);
}
ssize_t pwrite64(const int fd, const void *const from, const size_t n, const off_t at) {
  return pwrite(fd, from, n, at);
}

int fsync(const int fd) {
  typedef int type(int);
  NEXT("fsync", type *)
  may_be_killed();
  return fails(FAULT_sync) ? fail_with(EIO) : next(fd);
}
int rename(const char *const from, const char *const to) {
  typedef int type(const char *, const char *);
  NEXT("rename", type *)
  return fails(FAULT_name) ? fail_with(EIO) : next(from, to);
}
int linkat(const int from_folder, const char *const from, const int to_folder, const char *const to,
           const int flags) {
  typedef int type(int, const char *, int, const char *, int);
  NEXT("linkat", type *)
  may_be_killed();
  return fails(FAULT_name) ? fail_with(EIO) : next(from_folder, from, to_folder, to, flags);
}

/* --- the mould -------------------------------------------------------------------------------- */

typedef int main_fn(int, char **, char **);
static main_fn *real_main;

static bool whole(const ssize_t done, const size_t wanted) {
  return done == (ssize_t)wanted;
}

/* Bytes of address space: now ("VmSize:") or at most so far ("VmPeak:"). */
static long address_space(const char *const which) {
  char text[4096];
  const int fd = open("/proc/self/status", O_RDONLY);
  const ssize_t n = read(fd, text, sizeof text - 1);
  (void)close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char *const at = strstr(text, which);
  return at ? strtol(at + strlen(which), NULL, 10) * 1024 : 0;
}

static long space_before;

static void count_space(void) {
  shared *const page = counts;
  counts = NULL; /* what is read here is not the command's */
  page->points[FAULT_space] = (address_space("VmPeak:") - space_before) / FAULT_STEP + 1;
}

/* The stack gets its pages first: no program survives one that cannot grow. */
static void limit_space(void) {
  volatile char stack[1 << 20];
  for (size_t i = 0; i < sizeof stack; i += 4096) {
    stack[i] = 0;
  }
  space_before = address_space("VmSize:");
  const rlim_t bytes = (rlim_t)(space_before + fault.point * FAULT_STEP);
  const struct rlimit most = {bytes, bytes};
  if (fault.kind == FAULT_space) {
    (void)setrlimit(RLIMIT_AS, &most);
  }
  (void)atexit(count_space);
}

/* Returns in the children alone. */
static void serve(const int fd) {
  shared *const page =
      mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    _exit(98);
  }
  while (whole(read(fd, &fault, sizeof fault), sizeof fault)) {
    memset(page, 0, sizeof *page);
    const pid_t child = fork();
    if (child == 0) {
      (void)close(fd);
      if (fault.kind == FAULT_size) {
        const struct rlimit most = {(rlim_t)fault.point, (rlim_t)fault.point};
        (void)setrlimit(RLIMIT_FSIZE, &most);
      }
      (void)alarm(SECONDS);
      void *frame;
      (void)backtrace(&frame, 1); /* the first one allocates */
      if (getenv("TARE_FAULT_TRACE")) {
        tracing = true;
        (void)signal(SIGSEGV, trace_signal);
        (void)signal(SIGABRT, trace_signal);
      }
      limit_space();
      counts = page;
      return;
    }
    fault_reply reply = {0};
    (void)waitpid(child, &reply.status, 0);
    reply.in_library = page->in_library;
    memcpy(reply.points, page->points, sizeof reply.points);
    if (!whole(write(fd, &reply, sizeof reply), sizeof reply)) {
      break;
    }
  }
  _exit(0);
}

static int run(const int argc, char **const argv, char **const environment) {
  const char *const number = getenv(FAULT_SOCKET);
  if (number) {
    const int fd = (int)strtol(number, NULL, 10);
    (void)unsetenv(FAULT_SOCKET);
    serve(fd);
  }
  return real_main(argc, argv, environment);
}

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_fn *const main, const int argc, char **const argv,
                      void (*const init)(void), void (*const fini)(void),
                      void (*const rtld_fini)(void), void *const stack_end) {
  typedef int type(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  NEXT("__libc_start_main", type *)
  real_main = main;
  return next(run, argc, argv, init, fini, rtld_fini, stack_end);
}
