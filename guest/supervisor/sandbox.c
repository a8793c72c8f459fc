#include "sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "command.h"
#include "connect.h"
#include "datagrams.h"
#include "filter.h"
#include "jail.h"
#include "lanes.h"
#include "network.h"
#include "plan.h"
#include "say.h"
#include "sys.h"
#include "template.h"
#include "users.h"
#include "zygote.h"

/* Datagrams are looked for at times: they are for the record only. */
enum { ID_BYTES = 72, TIDY_MILLIS = 3, DATAGRAM_MILLIS = 250, FAILURE_BYTES = 512, LOG_LINE_BYTES = 1024, LOG_LINES_MAX = 1000 };
/* A zygote that takes longer to hand in a kernel is of no use to those who wait behind this sandbox either. */
enum { KERNEL_MILLIS = 4000, KERNEL_WORDS = 256 };

struct sandbox;

/* A descriptor of a sandbox that epoll watches. */
typedef struct {
    struct sandbox *owner;
    int fd; /* -1: not open */
} source;

typedef struct sandbox {
    struct sandbox *next;
    char id[ID_BYTES];
    sandbox_kind kind;
    char *template; /* a zygote's */
    const char *template_place; /* NULL: none */
    source channel; /* a zygote's socket */
    bool ready;     /* a zygote that has imported everything */
    char zygote[ID_BYTES]; /* a jail's that asked, or shall ask, one for a kernel; else empty */
    source kernel;         /* tells how the zygote's child fares, until it is gone or confined */
    char kernel_words[KERNEL_WORDS];
    size_t kernel_length;
    int64_t kernel_until;
    int go;       /* lets the zygote's child enter; -1 */
    bool reached; /* its first process is what it was asked to be */
    pid_t pid;
    int pidfd;
    int slot;
    source report; /* says what failed on the way to the sandbox, and ends when it is reached */
    source log;    /* a command's standard error */
    int log_lines;
    int stream;     /* the agent's, until it is greeted; -1 */
    char *greeting; /* what the server is told on the agent's behalf once it runs */
    int input; /* keeps a cell's standard input open; -1 */
    network network;
    lanes lanes;
    disk disk;
    pid_t ending; /* the process that ends the disk; -1 */
    cgroup group;
    bool failed;
    bool ended;
    int status;
    long long oom_kills;
} sandbox;

static sandbox_options options;
static sandbox *all;
static int total;
static int poll_set;
static uint32_t network_numbers;
static int agent_program;
static int filter_program;
static int life[2]; /* nobody writes: its end is that of the supervisor */

static const uint64_t NAMESPACES =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
/* It puts children into pid namespaces beside its own, which only one above can. */
static const uint64_t ZYGOTE_NAMESPACES = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

const char *sandbox_init(const sandbox_options *given, int epoll, const char **without_network) {
    options = *given;
    *without_network = network_init();
    poll_set = epoll;
    agent_program = open(options.agent, O_RDONLY | O_CLOEXEC);
    if (agent_program < 0) {
        return "the agent's program cannot be opened: './glovebox build' makes it";
    }
    filter_program = filter_make();
    if (filter_program < 0) {
        return "the seccomp filter cannot be made";
    }
    if (pipe2(life, O_CLOEXEC) != 0) {
        return "a pipe cannot be made";
    }
    return NULL;
}

void plan_die_with_supervisor(const plan *p) {
    struct pollfd ended = {.fd = p->life, .events = POLLIN};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || poll(&ended, 1, 0) != 0) {
        _exit(125);
    }
}

void plan_fail(const plan *p, const char *what) {
    char text[FAILURE_BYTES];
    int length = snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    (void)!write(p->report, text, (size_t)length);
    _exit(125);
}

static sandbox *find(const char *id) {
    for (sandbox *one = all; one != NULL; one = one->next) {
        if (strcmp(one->id, id) == 0) {
            return one;
        }
    }
    return NULL;
}

static void close_if_open(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_plan(plan *p) {
    close_if_open(&p->stream);
    close_if_open(&p->channel);
    for (int i = 0; i < p->join_count; i++) {
        close(p->joins[i]);
    }
    close_if_open(&p->oom);
    close_if_open(&p->memory_usage);
    close_if_open(&p->memory_peak);
    close_if_open(&p->cpu_usage);
    close_if_open(&p->report);
    close_if_open(&p->log);
}

static void watch(source *one, sandbox *owner, int fd) {
    one->owner = owner;
    one->fd = fd;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
    (void)epoll_ctl(poll_set, EPOLL_CTL_ADD, fd, &event);
}

static void unwatch(source *one) {
    if (one->fd >= 0) {
        (void)epoll_ctl(poll_set, EPOLL_CTL_DEL, one->fd, NULL);
        close_if_open(&one->fd);
    }
}

static const char *prepare_guest(plan *p, sandbox *one) {
    const sandbox_spec *spec = p->spec;
    if ((p->slot = one->slot = users_take()) < 0 || (p->userns = users_namespace(p->slot)) < 0) {
        return "a user namespace cannot be made";
    }
    if (spec->greeting != NULL ? (p->stream = connect_agent(spec->socket)) < 0
                               : open_input(spec->input, &p->stream, &one->input) != 0) {
        return "the server's socket cannot be reached";
    }
    if (spec->greeting != NULL && lanes_make(&one->lanes) != 0) {
        return "the memory for the content of files cannot be made";
    }
    p->lanes = one->lanes.fd;
    const sandbox *zygote = spec->zygote == NULL ? NULL : find(spec->zygote);
    /* Without one, or before it is ready, a sandbox is as good, only colder. */
    if (zygote != NULL && zygote->ready && !zygote->ended) {
        if (strcmp(zygote->template, spec->template) != 0) {
            errno = EINVAL;
            return "the zygote is of another template";
        }
        p->warm = true;
        format(one->zygote, sizeof one->zygote, "%s", zygote->id);
    }
    return NULL;
}

static const char *prepare_zygote(plan *p, sandbox *one) {
    int ends[2];
    one->template = strdup(p->spec->template);
    /* One message is one request. */
    if (one->template == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return "a pair of sockets cannot be made";
    }
    watch(&one->channel, one, ends[0]);
    p->channel = ends[1];
    return NULL;
}

/* Everything of the host that a sandbox needs. NULL, or what failed. */
static const char *prepare(plan *p, sandbox *one) {
    const sandbox_spec *spec = p->spec;
    if (spec->root == ROOT_TEMPLATE && (p->template_place = one->template_place = template_take(spec->template)) == NULL) {
        return "the template cannot be mounted";
    }
    const char *trouble = spec->image == NULL ? NULL : disk_make(&one->disk, spec->image);
    if (trouble != NULL) {
        return trouble;
    }
    p->disk = one->disk;
    const char *failure = spec->kind == KIND_ZYGOTE ? prepare_zygote(p, one) : prepare_guest(p, one);
    if (failure != NULL) {
        return failure;
    }
    if (cgroup_available()) {
        if (cgroup_make(&one->group, one->id, spec) != 0) {
            return "the control group cannot be made";
        }
        p->group = one->group;
        if ((p->join_count = cgroup_open_joins(&one->group, p->joins)) < 0) {
            p->join_count = 0;
            return "the control group cannot be opened";
        }
        if (p->disk.path[0] != '\0') {
            cgroup_bound_disk(&one->group, DISK_MAJOR, p->disk.number, spec);
        }
        cgroup_bound_template(&one->group, spec->template, spec);
        if (spec->kind == KIND_JAIL) {
            p->oom = cgroup_open_oom(&one->group);
            p->memory_usage = cgroup_open_memory_usage(&one->group);
            p->memory_peak = cgroup_open_memory_peak(&one->group);
            p->cpu_usage = cgroup_open_cpu_usage(&one->group);
        }
    }
    return NULL;
}

/* The first process of the sandbox, which goes on when the parent has written a byte: then it knows the child. */
static void child(plan *p, int sync) {
    char byte;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* What the server ignores, for example under nohup, is not a guest's to ignore. */
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL);
    }
    close(life[1]);
    plan_die_with_supervisor(p);
    if (read(sync, &byte, 1) != 1) {
        _exit(125);
    }
    close(sync);
    if (setsid() < 0) {
        plan_fail(p, "a session cannot be made");
    }
    umask(022);
    if (p->spec->kind == KIND_JAIL) {
        jail_become(p);
    }
    if (p->spec->kind == KIND_ZYGOTE) {
        zygote_become(p);
    }
    command_become(p);
}

static const char *launch(plan *p, sandbox *one) {
    int sync[2];
    int report[2] = {-1, -1};
    int log[2] = {-1, -1};
    if (socketpair_cloexec(sync) != 0) {
        return "a pair of sockets cannot be made";
    }
    if (pipe2(report, O_CLOEXEC) != 0 || (p->spec->kind != KIND_JAIL && pipe2(log, O_CLOEXEC) != 0)) {
        close(sync[0]);
        close(sync[1]);
        close_if_open(&report[0]);
        close_if_open(&report[1]);
        return "a pipe cannot be made";
    }
    p->report = report[1];
    p->log = log[1];
    pid_t pid = sys_clone(p->spec->kind == KIND_ZYGOTE ? ZYGOTE_NAMESPACES : NAMESPACES, &one->pidfd, -1);
    if (pid == 0) {
        close(sync[0]);
        close(report[0]);
        child(p, sync[1]);
        _exit(125);
    }
    int failure = errno;
    const char *words = pid > 0 ? NULL : "the namespaces cannot be made";
    close(sync[1]);
    if (pid > 0 && p->spec->network != 0) {
        one->network.number = ++network_numbers;
        words = network_make(&one->network, one->pidfd, p->spec->kind == KIND_JAIL);
        failure = errno;
    }
    if (pid > 0) {
        one->pid = pid;
        watch(&one->report, one, report[0]);
        if (log[0] >= 0) {
            watch(&one->log, one, log[0]);
        }
        /* Without this byte it ends. */
        (void)!write(sync[0], "1", words == NULL ? 1 : 0);
    } else {
        close(report[0]);
        close_if_open(&log[0]);
    }
    close(sync[0]);
    errno = failure;
    return words;
}

static void release(sandbox *one) {
    users_give_back(one->slot);
    close_if_open(&one->pidfd);
    close_if_open(&one->input);
    close_if_open(&one->stream);
    free(one->greeting);
    free(one->template);
    unwatch(&one->report);
    unwatch(&one->log);
    unwatch(&one->channel);
    unwatch(&one->kernel);
    close_if_open(&one->go);
    disk_let_go(&one->disk);
    if (one->disk.path[0] != '\0') {
        cgroup_unbound_disk(DISK_MAJOR, one->disk.number);
    }
    network_end(&one->network);
    lanes_end(&one->lanes);
}

static int64_t now_millis(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void forget(sandbox *one) {
    for (sandbox **place = &all; *place != NULL; place = &(*place)->next) {
        if (*place == one) {
            *place = one->next;
            break;
        }
    }
    template_give(one->template_place, now_millis());
    release(one);
    free(one);
    total--;
}

static void make_printable(char *text) {
    for (char *c = text; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
    }
}

/* Lets the sandbox be used, once all of it is there. Until then nothing of a guest runs in it, so that the zygote's
 * child, which enters it with rights of the host, meets nobody. */
static void begin(sandbox *one) {
    if (one->ended || !one->reached || one->kernel.fd >= 0) {
        return;
    }
    /* Only now: whoever is greeted is there. A failure to write shows as the end of the connection. */
    if (one->stream >= 0 && one->greeting != NULL) {
        (void)connect_write(one->stream, one->greeting);
    }
    close_if_open(&one->stream);
    say("STARTED\t%s\t%d\t%s\t%d\t%llu\t%d\t%llu", one->id, (int)one->pid,
        one->kernel_words[0] == '.' ? "warm" : "cold", one->network.namespace,
        (unsigned long long)one->network.cookie, one->lanes.fd, (unsigned long long)one->lanes.ino);
}

/* While the sandbox is being made, for a fork takes its time. */
static void ask_for_kernel(sandbox *one) {
    const sandbox *zygote = find(one->zygote);
    int answer = zygote_ask(zygote->channel.fd, one->pidfd, &one->group, &one->go);
    if (answer >= 0) {
        one->kernel_until = INT64_MAX;
        watch(&one->kernel, one, answer);
    }
}

static void let_kernel_in(sandbox *one) {
    if (one->go >= 0) {
        (void)!write(one->go, "1", 1);
        close_if_open(&one->go);
        one->kernel_until = now_millis() + KERNEL_MILLIS;
    }
}

void sandbox_start(sandbox_spec *spec) {
    if (find(spec->id) != NULL) {
        say("FAILED\t%s\tthere is a sandbox of this id", spec->id);
        return;
    }
    sandbox *one = calloc(1, sizeof *one);
    if (one == NULL) {
        say("FAILED\t%s\tout of memory", spec->id);
        return;
    }
    format(one->id, sizeof one->id, "%s", spec->id);
    one->kind = spec->kind;
    one->pidfd = one->report.fd = one->log.fd = one->input = one->slot = one->stream = -1;
    one->channel.fd = one->kernel.fd = one->go = one->disk.device = one->disk.root = one->ending = -1;
    one->lanes.fd = one->network.namespace = one->network.steering.listener = one->network.steering.link = -1;
    plan p = {.spec = spec, .lanes = -1, .stream = -1, .agent = agent_program, .filter = filter_program, .log = -1, .life = life[0],
              .report = -1, .disk.device = -1, .disk.root = -1, .userns = -1, .channel = -1, .slot = -1, .oom = -1, .memory_usage = -1, .memory_peak = -1, .cpu_usage = -1};
    one->next = all;
    all = one;
    total++;
    const char *failure = prepare(&p, one);
    if (failure == NULL) {
        failure = launch(&p, one);
    }
    if (failure == NULL && p.warm) {
        ask_for_kernel(one);
    }
    int number = errno;
    if (failure == NULL && spec->greeting != NULL) {
        one->greeting = strdup(spec->greeting);
        one->stream = p.stream;
        p.stream = -1;
    }
    close_plan(&p);
    if (failure != NULL) {
        say("FAILED\t%s\t%s: %s", one->id, failure, strerror(number));
        (void)cgroup_remove(&one->group);
        forget(one);
    }
}

static void read_kernel(sandbox *one) {
    size_t room = sizeof one->kernel_words - 1 - one->kernel_length;
    char text[KERNEL_WORDS];
    ssize_t length = read(one->kernel.fd, text, sizeof text);
    if (length > 0) {
        size_t kept = (size_t)length < room ? (size_t)length : room;
        memcpy(one->kernel_words + one->kernel_length, text, kept);
        one->kernel_length += kept;
        return;
    }
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    unwatch(&one->kernel);
    if (one->kernel_words[0] != '.' && !one->ended) {
        make_printable(one->kernel_words);
        say("LOG\t%s\tno warm kernel: %s", one->id, one->kernel_words);
    }
    begin(one);
}

static void read_channel(sandbox *zygote) {
    char text[16];
    ssize_t length = recv(zygote->channel.fd, text, sizeof text, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (length == 5 && memcmp(text, "READY", 5) == 0 && !zygote->ready) {
        zygote->ready = true;
        say("STARTED\t%s\t%d\twarm\t-1\t0\t-1\t0", zygote->id, (int)zygote->pid);
        return;
    }
    unwatch(&zygote->channel);
    /* Without its socket it would be of no use. */
    (void)sys_pidfd_kill(zygote->pidfd);
}

/* Kills the zygotes of those who wait for too long: with it goes what keeps them waiting. Returns for how long the
 * next one may wait, or -1. */
static int hurry(void) {
    int64_t now = now_millis();
    int64_t next = -1;
    for (sandbox *one = all; one != NULL; one = one->next) {
        if (one->kernel.fd < 0 || one->kernel_until == INT64_MAX) {
            continue;
        }
        if (one->kernel_until <= now) {
            sandbox *zygote = find(one->zygote);
            if (zygote != NULL && !zygote->ended) {
                (void)sys_pidfd_kill(zygote->pidfd);
            }
            one->kernel_until = now + KERNEL_MILLIS;
        }
        if (next < 0 || one->kernel_until - now < next) {
            next = one->kernel_until - now;
        }
    }
    return (int)next;
}

static void read_report(sandbox *one) {
    char text[FAILURE_BYTES];
    ssize_t length = read(one->report.fd, text, sizeof text - 1);
    if (length < 0) {
        return;
    }
    unwatch(&one->report);
    if (length == 0 && one->disk.path[0] != '\0') {
        disk_hold(&one->disk);
    }
    disk_let_go(&one->disk);
    if (length == 0) {
        /* A zygote says itself when it is ready. */
        if (one->kind != KIND_ZYGOTE) {
            one->reached = true;
            let_kernel_in(one);
            begin(one);
        }
        return;
    }
    text[length] = '\0';
    one->failed = true;
    say("FAILED\t%s\t%s", one->id, text);
}

/* Hands a command's words on, a line at a time, without what could confuse who reads them, and not for ever: what is
 * over the bound is read and dropped, so that the command never waits. */
static void read_log(sandbox *one) {
    char text[LOG_LINE_BYTES];
    ssize_t length = read(one->log.fd, text, sizeof text - 1);
    if (length <= 0) {
        unwatch(&one->log);
        return;
    }
    text[length] = '\0';
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (one->log_lines++ >= LOG_LINES_MAX) {
            return;
        }
        make_printable(line);
        say("LOG\t%s\t%s", one->id, line);
    }
}

void sandbox_read(void *data) {
    source *one = data;
    if (one->fd < 0) {
        return;
    }
    sandbox *owner = one->owner;
    if (one == &owner->report) {
        read_report(owner);
    } else if (one == &owner->kernel) {
        read_kernel(owner);
    } else if (one == &owner->channel) {
        read_channel(owner);
    } else {
        read_log(owner);
    }
}

void sandbox_kill(const char *id) {
    sandbox *one = find(id);
    if (one == NULL) {
        say("ENDED\t%s\tgone\t0\t0", id);
        return;
    }
    if (!one->ended) {
        (void)sys_pidfd_kill(one->pidfd);
    }
}

void sandbox_limit(const char *id, const sandbox_spec *spec) {
    sandbox *one = find(id);
    if (one == NULL) {
        say("REFUSED\t%s\tthere is no such sandbox", id);
    } else if (cgroup_limit(&one->group, spec) != 0) {
        say("REFUSED\t%s\tthe limits cannot be set: %s", id, strerror(errno));
    } else {
        say("LIMITED\t%s", id);
    }
}

void sandbox_reap(void) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        for (sandbox *one = all; one != NULL; one = one->next) {
            if (one->pid == pid) {
                one->ended = true;
                one->status = status;
                one->oom_kills = cgroup_oom_kills(&one->group);
            }
            if (one->ending == pid) {
                one->ending = -1;
            }
        }
    }
}

static void tell_datagram(const datagram *one) {
    for (const sandbox *each = all; each != NULL; each = each->next) {
        if (each->network.number == one->sandbox) {
            char address[INET_ADDRSTRLEN];
            say("DATAGRAM\t%s\t%s\t%u", each->id, inet_ntop(AF_INET, &one->address, address, sizeof address),
                one->port);
            return;
        }
    }
}

int sandbox_tidy(void) {
    bool again = false;
    bool networks = false;
    datagrams_read(tell_datagram);
    sandbox *next;
    for (sandbox *one = all; one != NULL; one = next) {
        next = one->next;
        networks |= one->network.number != 0;
        if (!one->ended) {
            continue;
        }
        if (one->report.fd >= 0) {
            read_report(one);
        }
        if (one->log.fd >= 0) {
            read_log(one);
        }
        if (one->disk.root >= 0) {
            one->ending = disk_end(&one->disk);
        }
        if (one->ending >= 0) {
            continue;
        }
        if (!cgroup_remove(&one->group)) {
            cgroup_kill(&one->group);
            again = true;
            continue;
        }
        if (one->kind == KIND_ZYGOTE && !one->ready && !one->failed) {
            one->failed = true;
            say("FAILED\t%s\tit ended before it was ready", one->id);
        }
        if (!one->failed) {
            say("ENDED\t%s\t%s\t%d\t%lld", one->id, WIFEXITED(one->status) ? "exit" : "signal",
                WIFEXITED(one->status) ? WEXITSTATUS(one->status) : WTERMSIG(one->status), one->oom_kills);
        }
        forget(one);
    }
    int wait = hurry();
    int templates = template_tidy(now_millis());
    if (templates >= 0 && (wait < 0 || wait > templates)) {
        wait = templates;
    }
    if (networks && (wait < 0 || wait > DATAGRAM_MILLIS)) {
        wait = DATAGRAM_MILLIS;
    }
    return again && (wait < 0 || wait > TIDY_MILLIS) ? TIDY_MILLIS : wait;
}

void sandbox_kill_all(void) {
    for (sandbox *one = all; one != NULL; one = one->next) {
        if (!one->ended) {
            (void)sys_pidfd_kill(one->pidfd);
        }
    }
}

int sandbox_count(void) {
    return total;
}
