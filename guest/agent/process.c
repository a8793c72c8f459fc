#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "connection.h"
#include "context.h"
#include "ending.h"
#include "errors.h"
#include "feed.h"
#include "freeze.h"
#include "language.h"
#include "paths.h"
#include "pty.h"
#include "settings.h"
#include "streams.h"
#include "tap.h"

enum {
    PROCESSES_MAX = 256,
    // How long what a program left behind may keep its output open without writing.
    IDLE_MILLIS = 100,
    // And with writing, once all that the program itself wrote has been delivered.
    STRAGGLING_MILLIS = 1000,
    // Between a kill and the CLOSE that does not wait any longer for the process to be gone.
    DEATH_MILLIS = 40,
    HEED_MILLIS = 500,
    CPU_LOOK_MILLIS = 20,
    MEMORY_LOOK_MILLIS = 10,
};

struct process {
    struct channel channel;
    struct job job;
    struct tap out;
    struct tap err;
    struct feed in;
    int terminal;
    // The file that held the code, in which an interpreter says how it failed; -1.
    int report;
    bool is_code;
    struct limits limits;
    struct output output;
    struct timer wall;
    struct timer look;
    // One after the other: an interrupt that must be heeded, a death that must come, output that must end.
    struct timer grace;
    bool is_interrupted;
    bool has_ending;
    bool is_cancelled;
    bool is_closed;
    struct ending ending;
    uint64_t signalled;
    int64_t frozen_before;
    int64_t straggling_until;
    int64_t ended_at;
};

static size_t running;

size_t processes_running(void) {
    return running;
}

static struct process *of_channel(struct channel *channel) {
    return CONTAINER(channel, struct process, channel);
}

static void discard(struct process *process) {
    timer_stop(&process->wall);
    timer_stop(&process->look);
    timer_stop(&process->grace);
    tap_close(&process->out);
    tap_close(&process->err);
    feed_close(&process->in);
    if (process->terminal >= 0) {
        close(process->terminal);
    }
    if (process->report >= 0) {
        close(process->report);
    }
    running--;
    free(process);
}

// Closes the channel. The memory stays as long as there is a process to wait for.
static void finish(struct process *process) {
    struct job *job = &process->job;
    struct bytes answer = {0};
    int64_t end = process->ended_at != 0 ? process->ended_at : loop_now();
    int64_t wall = job->has_started ? end - job->started_at : 0;
    uint64_t used = process->output.used < process->output.limit ? process->output.used : process->output.limit;
    struct rusage *usage = &job->usage;
    put_number(&answer, TAG_STATUS, process->is_cancelled ? STATUS_CANCELLED : STATUS_OK);
    if (process->is_cancelled) {
        put_string(&answer, TAG_MESSAGE, "cancelled by the host");
    }
    ending_put(&answer, &process->ending);
    put_number(&answer, TAG_USED_WALL_MICROS, (uint64_t)wall);
    put_number(&answer, TAG_USED_CPU_MICROS,
               (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000
                   + (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec));
    put_number(&answer, TAG_USED_MEMORY_BYTES, (uint64_t)usage->ru_maxrss * 1024);
    put_number(&answer, TAG_USED_OUTPUT_BYTES, used);
    put_number(&answer, TAG_QUEUED_MICROS, 0);
    put_number(&answer, TAG_POOLED, 0);
    put_number(&answer, TAG_PHASE_MICROS, job->has_started ? (uint64_t)(job->started_at - job->asked_at) : 0);
    channel_close(&process->channel, &answer);
    bytes_free(&answer);
    process->is_closed = true;
    timer_stop(&process->wall);
    timer_stop(&process->look);
    timer_stop(&process->grace);
    tap_close(&process->out);
    tap_close(&process->err);
    feed_close(&process->in);
    if (process->terminal >= 0) {
        close(process->terminal); // hangs up on those that still sit at the terminal
        process->terminal = -1;
    }
    if (job->has_exited) {
        discard(process);
    }
}

// The last that the host gets of a program that was ended.
static void finish_ended(struct process *process) {
    tap_drain(&process->out);
    tap_drain(&process->err);
    finish(process);
}

// Ends the program for a reason; the first one counts.
static void end(struct process *process, struct ending ending) {
    if (process->has_ending || process->is_closed) {
        return;
    }
    process->has_ending = true;
    process->ending = ending;
    process->ended_at = loop_now();
    timer_stop(&process->wall);
    timer_stop(&process->look);
    bool was_gone = process->job.has_exited;
    job_kill(&process->job);
    if (was_gone) {
        finish_ended(process);
    } else {
        timer_set(&process->grace, loop_now() + DEATH_MILLIS * MILLISECOND);
    }
}

// After the program's own end: is all of its output delivered?
static void settle(struct process *process) {
    if (!process->job.has_exited || process->has_ending) {
        return;
    }
    if (process->out.owed > 0 || process->err.owed > 0 || channel_records_left(&process->channel) > 0) {
        return;
    }
    if (process->out.is_over && process->err.is_over) {
        finish(process);
        return;
    }
    int64_t now = loop_now();
    if (process->straggling_until == 0) {
        process->straggling_until = now + STRAGGLING_MILLIS * MILLISECOND;
    }
    int64_t idle = now + IDLE_MILLIS * MILLISECOND;
    timer_set(&process->grace, idle < process->straggling_until ? idle : process->straggling_until);
}

// Hands on what the program's interpreter said of its error.
static void tell_error(struct process *process) {
    struct bytes said = {0};
    struct bytes record = {0};
    if (process->report >= 0 && language_error(process->report, &said)) {
        struct fields fields = {said.data, said.length};
        error_put(&record, &fields);
        process->output.used += record.length;
        channel_record(&process->channel, &record);
    }
    bytes_free(&said);
    bytes_free(&record);
}

static void on_exited(struct job *job) {
    struct process *process = CONTAINER(job, struct process, job);
    if (process->is_closed) {
        discard(process);
        return;
    }
    timer_stop(&process->grace);
    timer_stop(&process->look);
    if (process->has_ending) {
        finish_ended(process);
        return;
    }
    process->ended_at = loop_now();
    process->ending = ending_of_job(job, process->signalled, process->limits.memory_bytes);
    feed_close(&process->in);
    tell_error(process);
    tap_settle(&process->out);
    tap_settle(&process->err);
    tap_pump(&process->out);
    tap_pump(&process->err);
    settle(process);
}

static void on_grace(struct timer *timer) {
    struct process *process = CONTAINER(timer, struct process, grace);
    if (process->has_ending) {
        finish_ended(process); // it is dying, and somebody waits for the answer
    } else if (process->job.has_exited) {
        finish(process);
    } else if (process->is_interrupted) {
        end(process, ending_killed("did not heed the interrupt in 500 ms"));
    }
}

static void on_moved(struct tap *tap) {
    struct process *process = of_channel(tap->channel);
    settle(process);
}

static void on_flooded(struct tap *tap) {
    struct process *process = of_channel(tap->channel);
    end(process, ending_flooded(process->output.limit, false));
}

static int64_t ran(const struct process *process) {
    return loop_now() - process->job.started_at - (frozen_micros() - process->frozen_before);
}

// The wall clock stands still while the workload is frozen.
static void on_wall(struct timer *timer) {
    struct process *process = CONTAINER(timer, struct process, wall);
    int64_t left = (int64_t)process->limits.wall_millis * MILLISECOND - ran(process);
    if (left > 0) {
        timer_set(timer, loop_now() + (is_frozen() && left < 50 * MILLISECOND ? 50 * MILLISECOND : left));
    } else {
        end(process, ending_timed_out(TAG_WALL_MILLIS, process->limits.wall_millis));
    }
}

static bool has_cpu_limit(const struct process *process) {
    return process->limits.cpu_millis < UINT64_MAX / 1000;
}

// The sandbox's own bound is enforced elsewhere; this is for a process that has a smaller one.
static bool has_memory_limit(const struct process *process) {
    return process->limits.memory_bytes < settings.limits.memory_bytes;
}

// Looks at what the program used, and again when it could have used up what is left.
static void on_look(struct timer *timer) {
    struct process *process = CONTAINER(timer, struct process, look);
    int64_t next = INT64_MAX;
    if (has_cpu_limit(process)) {
        int64_t limit = (int64_t)process->limits.cpu_millis * MILLISECOND;
        int64_t left = limit - (int64_t)job_cpu(&process->job);
        if (left <= 0) {
            end(process, ending_timed_out(TAG_CPU_MILLIS, process->limits.cpu_millis));
            return;
        }
        next = left / processors();
        next = next < CPU_LOOK_MILLIS * MILLISECOND ? CPU_LOOK_MILLIS * MILLISECOND : next;
    }
    if (has_memory_limit(process)) {
        if (job_memory(&process->job) > process->limits.memory_bytes) {
            end(process, ending_out_of_memory(process->limits.memory_bytes));
            return;
        }
        next = next < MEMORY_LOOK_MILLIS * MILLISECOND ? next : MEMORY_LOOK_MILLIS * MILLISECOND;
    }
    if (next != INT64_MAX) {
        timer_set(timer, loop_now() + next);
    }
}

static void on_started(struct job *job) {
    struct process *process = CONTAINER(job, struct process, job);
    if (process->is_closed) {
        return;
    }
    struct bytes record = {0};
    put_number(&record, TAG_STARTED, 1);
    put_number(&record, TAG_PROCESS_ID, (uint64_t)job->pid);
    put_number(&record, TAG_POOLED, 0);
    channel_record(&process->channel, &record);
    connection_defer(4 + record.length);
    bytes_free(&record);
    if (process->has_ending) {
        return;
    }
    process->frozen_before = frozen_micros();
    if (process->limits.wall_millis < INT64_MAX / 2000) {
        timer_set(&process->wall, loop_now() + (int64_t)process->limits.wall_millis * MILLISECOND);
    }
    int64_t first = has_memory_limit(process) ? MEMORY_LOOK_MILLIS * MILLISECOND : INT64_MAX;
    if (has_cpu_limit(process)) {
        int64_t cpu = (int64_t)process->limits.cpu_millis * MILLISECOND / processors();
        first = cpu < first ? cpu : first;
    }
    if (first != INT64_MAX) {
        timer_set(&process->look, loop_now() + first);
    }
    tap_pump(&process->out);
    tap_pump(&process->err);
}

static void on_failed(struct job *job, enum launch_stage stage, int error) {
    struct process *process = CONTAINER(job, struct process, job);
    const char *message;
    enum status status = launch_status(stage, error, &message);
    if (process->has_ending && !process->is_closed) {
        finish(process);
    } else if (stage == STAGE_PROGRAM && error == ENOENT && process->is_code) {
        channel_fail(&process->channel, STATUS_UNSUPPORTED, "the sandbox has no interpreter for this language: one with the template code has");
    } else {
        channel_fail(&process->channel, status, message);
    }
    discard(process);
}

static void on_data(struct channel *channel, const uint8_t *data, size_t length) {
    feed_data(&of_channel(channel)->in, data, length);
}

static void on_end(struct channel *channel) {
    feed_finish(&of_channel(channel)->in);
}

static void on_pump(struct channel *channel) {
    struct process *process = of_channel(channel);
    if (process->job.has_started && !process->has_ending) {
        tap_pump(&process->out);
        tap_pump(&process->err);
        settle(process);
    }
}

static void signal_group(struct process *process, int number) {
    job_signal(&process->job, number);
    // What runs at a terminal has a process group of its own.
    pid_t foreground = process->terminal >= 0 ? pty_foreground(process->terminal) : 0;
    if (foreground > 1 && foreground != process->job.pid) {
        kill(-foreground, number);
    }
}

static void send_signal(struct process *process, uint64_t number) {
    if (number < 1 || number >= 64) {
        return;
    }
    // Before there is a program nobody can handle a signal, and none must be lost.
    if (number == SIGKILL || !process->job.has_started) {
        char reason[32];
        snprintf(reason, sizeof reason, "signal %d", (int)number);
        end(process, ending_killed(reason));
        return;
    }
    process->signalled |= UINT64_C(1) << number;
    signal_group(process, (int)number);
}

static void interrupt(struct process *process) {
    if (!process->job.has_started) {
        end(process, ending_killed("interrupted before it began"));
        return;
    }
    signal_group(process, SIGINT);
    // At a terminal an interrupt is a key, and programs there go on after it.
    if (process->terminal < 0 && !process->is_interrupted && !process->job.has_exited) {
        process->is_interrupted = true;
        timer_set(&process->grace, loop_now() + HEED_MILLIS * MILLISECOND);
    }
}

static void on_control(struct channel *channel, const struct fields *fields) {
    struct process *process = of_channel(channel);
    uint64_t number = 0;
    uint64_t columns = 0;
    uint64_t rows = 0;
    if (process->has_ending) {
        return;
    }
    if (process->terminal >= 0 && fields_number(fields, TAG_COLUMNS, &columns) == FIELD_FOUND
        && fields_number(fields, TAG_ROWS, &rows) == FIELD_FOUND) {
        pty_resize(process->terminal, (unsigned)columns, (unsigned)rows);
    }
    if (fields_flag(fields, TAG_INTERRUPT)) {
        interrupt(process);
    } else if (fields_number(fields, TAG_SIGNAL, &number) == FIELD_FOUND) {
        send_signal(process, number);
    }
}

static void on_cancel(struct channel *channel) {
    struct process *process = of_channel(channel);
    process->is_cancelled = true;
    if (process->has_ending) {
        return; // CLOSE is on its way
    }
    if (process->job.has_exited) {
        process->has_ending = true; // it ended by itself; what it left behind goes all the same
        job_kill(&process->job);
        finish(process);
        return;
    }
    end(process, ending_killed("cancelled"));
}

static const struct channel_kind kind_input = {
    .inputs = 1U << STREAM_STDIN,
    .data = on_data,
    .end = on_end,
    .pump = on_pump,
    .control = on_control,
    .cancel = on_cancel,
};

static const struct channel_kind kind_no_input = {
    .pump = on_pump,
    .control = on_control,
    .cancel = on_cancel,
};

// What a PROCESS request says, read and checked.
struct wanted {
    struct user user;
    struct limits limits;
    struct environment environment;
    char directory[PATH_MAX];
    bool directory_is_guess;
    struct command command;
    bool is_code;
    bool has_terminal;
    uint64_t columns;
    uint64_t rows;
    bool takes_input;
    // Pointers into `texts`.
    char **arguments;
    size_t argument_count;
    struct bytes texts;
};

static void wanted_free(struct wanted *wanted) {
    environment_free(&wanted->environment);
    command_free(&wanted->command);
    bytes_free(&wanted->texts);
    free(wanted->arguments);
}

// The whole argument list: the interpreter's words, then the request's own.
static const char *read_arguments(const struct fields *fields, const char *file_name, struct wanted *wanted) {
    size_t offset = 0;
    size_t count = 0;
    struct field field;
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_ARGUMENT) {
            if (memchr(field.data, 0, field.length) != NULL) {
                return "arguments cannot hold a NUL character";
            }
            bytes_add(&wanted->texts, field.data, field.length);
            bytes_add_u8(&wanted->texts, 0);
            count++;
        }
    }
    if (count > ARGUMENTS_MAX || wanted->texts.length > ARGUMENTS_BYTES_MAX) {
        return "arguments are at most 4096 entries and 1048576 bytes";
    }
    if (count == 0 && wanted->is_code) {
        bytes_add(&wanted->texts, file_name, strlen(file_name) + 1);
        count = 1;
    }
    if (count == 0) {
        return "a process needs ARGUMENT or CODE";
    }
    wanted->arguments = calloc(COMMAND_PREFIX_MAX + count + 1, sizeof *wanted->arguments);
    if (wanted->arguments == NULL || wanted->texts.failed) {
        return "there is no memory for the arguments";
    }
    for (size_t i = 0; i < wanted->command.prefix_count; i++) {
        wanted->arguments[wanted->argument_count++] = (char *)(uintptr_t)wanted->command.prefix[i];
    }
    char *at = (char *)wanted->texts.data;
    for (size_t i = 0; i < count; i++) {
        wanted->arguments[wanted->argument_count++] = at;
        at += strlen(at) + 1;
    }
    return NULL;
}

static const char *read_code(const struct fields *fields, char *file_name, size_t size, struct wanted *wanted,
                             enum status *status) {
    char word[32];
    if (!fields_has(fields, TAG_CODE)) {
        return NULL;
    }
    wanted->is_code = true;
    if (fields_text(fields, TAG_LANGUAGE, word, sizeof word) != FIELD_FOUND) {
        return "CODE needs its LANGUAGE";
    }
    enum language language = language_of(word);
    if (strcmp(word, "wasm") == 0) {
        *status = STATUS_UNSUPPORTED;
        return "this sandbox runs no WebAssembly by itself; tier wasm does";
    }
    switch (fields_text(fields, TAG_FILE_NAME, file_name, size)) {
    case FIELD_BROKEN:
        return "FILE_NAME is no name";
    case FIELD_ABSENT:
        strcpy(file_name, language_file_name(language));
        break;
    case FIELD_FOUND:
        break;
    }
    struct bytes code = {0};
    fields_join(fields, TAG_CODE, &code);
    const char *wrong = code.failed ? "there is no memory for the code"
        : code.length > CODE_BYTES_MAX
        ? "code is longer than the bound of 4194304 bytes"
        : language_command(language, &code, file_name, &wanted->command, status);
    bytes_free(&code);
    return wrong;
}

static const char *read_wanted(const struct fields *fields, struct wanted *wanted, enum status *status) {
    char file_name[PATH_MAX] = "";
    const char *wrong = settings_user(fields, &wanted->user, status);
    if (wrong != NULL) {
        return wrong;
    }
    *status = STATUS_INVALID;
    wanted->limits = settings.limits;
    wanted->command.code = -1;
    if (!limits_read(fields, &wanted->limits)) {
        return "a limit is no number";
    }
    if (!settings_directory(fields, wanted->directory, &wanted->directory_is_guess)) {
        return "DIRECTORY is no path";
    }
    wanted->has_terminal = fields_has(fields, TAG_COLUMNS);
    if (wanted->has_terminal
        && (fields_number(fields, TAG_COLUMNS, &wanted->columns) != FIELD_FOUND
            || fields_number(fields, TAG_ROWS, &wanted->rows) != FIELD_FOUND)) {
        return "a terminal has COLUMNS and ROWS";
    }
    wanted->takes_input = fields_flag(fields, TAG_STDIN_OPEN);
    if (wanted->has_terminal && !environment_set_value(&wanted->environment, "TERM", "xterm-256color")) {
        return "there is no memory for the environment";
    }
    wrong = settings_environment(fields, &wanted->user, &wanted->environment);
    if (wrong == NULL) {
        wrong = read_code(fields, file_name, sizeof file_name, wanted, status);
    }
    return wrong != NULL ? wrong : read_arguments(fields, file_name, wanted);
}

struct ends {
    int in;
    int out;
    int err;
    int terminal;
    int guest[LAUNCH_FDS];
    // A terminal: the guest's three are one.
    bool has_same;
};

static bool open_streams(const struct wanted *wanted, struct ends *ends) {
    if (wanted->has_terminal) {
        int slave;
        if (!pty_open((unsigned)wanted->columns, (unsigned)wanted->rows, wanted->user.uid, &ends->terminal, &slave)) {
            return false;
        }
        ends->guest[LAUNCH_STDIN] = ends->guest[LAUNCH_STDOUT] = ends->guest[LAUNCH_STDERR] = slave;
        // One descriptor to read, one to write, one to ask: each waits for itself.
        ends->out = fcntl(ends->terminal, F_DUPFD_CLOEXEC, 3);
        ends->in = wanted->takes_input ? fcntl(ends->terminal, F_DUPFD_CLOEXEC, 3) : -1;
        return ends->out >= 0 && (ends->in >= 0 || !wanted->takes_input);
    }
    bool ok = streams_pipe(&wanted->user, true, &ends->out, &ends->guest[LAUNCH_STDOUT])
        && streams_pipe(&wanted->user, true, &ends->err, &ends->guest[LAUNCH_STDERR]);
    if (wanted->takes_input) {
        return ok && streams_pipe(&wanted->user, false, &ends->in, &ends->guest[LAUNCH_STDIN]);
    }
    ends->guest[LAUNCH_STDIN] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ok && ends->guest[LAUNCH_STDIN] >= 0;
}

static void close_ends(struct ends *ends) {
    int all[] = {ends->in, ends->out, ends->err, ends->terminal, ends->guest[LAUNCH_STDIN],
                 ends->has_same ? -1 : ends->guest[LAUNCH_STDOUT], ends->has_same ? -1 : ends->guest[LAUNCH_STDERR],
                 ends->guest[LAUNCH_EXTRA]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
}

static void begin(uint32_t number, struct wanted *wanted) {
    static const char no_room[] = "the sandbox has no room for another process: its bound of processes, memory or "
                                  "files is reached";
    struct process *process = calloc(1, sizeof *process);
    struct ends ends = {-1, -1, -1, -1, {-1, -1, -1, -1}, wanted->has_terminal};
    if (process == NULL || !open_streams(wanted, &ends)) {
        close_ends(&ends);
        free(process);
        channel_refuse(number, STATUS_TOO_MANY, no_room);
        return;
    }
    ends.guest[LAUNCH_EXTRA] = wanted->command.code;
    process->report = wanted->command.code < 0 ? -1 : fcntl(wanted->command.code, F_DUPFD_CLOEXEC, 3);
    wanted->command.code = -1;
    running++;
    process->is_code = wanted->is_code;
    process->limits = wanted->limits;
    process->output.limit = wanted->limits.output_bytes;
    process->terminal = ends.terminal;
    timer_init(&process->wall, on_wall);
    timer_init(&process->look, on_look);
    timer_init(&process->grace, on_grace);
    channel_open(&process->channel, number, wanted->takes_input ? &kind_input : &kind_no_input);
    tap_init(&process->out, ends.out, STREAM_STDOUT, &process->channel, &process->output);
    tap_init(&process->err, ends.err, STREAM_STDERR, &process->channel, &process->output);
    process->out.moved = process->err.moved = on_moved;
    process->out.flooded = process->err.flooded = on_flooded;
    feed_init(&process->in, ends.in, STREAM_STDIN, &process->channel,
              wanted->has_terminal ? FEED_TYPES_END : FEED_CLOSES);
    process->job.started = on_started;
    process->job.failed = on_failed;
    process->job.exited = on_exited;
    struct launch_plan plan = {
        .arguments = wanted->arguments,
        .argument_count = wanted->argument_count,
        .environment = wanted->environment.entries,
        .environment_count = wanted->environment.count,
        .directory = wanted->directory,
        .directory_is_guess = wanted->directory_is_guess,
        .user = &wanted->user,
        .has_terminal = wanted->has_terminal,
    };
    if (!job_begin(&process->job, &plan, ends.guest)) {
        channel_fail(&process->channel, STATUS_TOO_MANY, no_room);
        discard(process);
    }
}

void process_request(uint32_t number, const struct fields *fields) {
    static struct wanted wanted;
    if (fields_has(fields, TAG_CODE) && context_run_warm(number, fields)) {
        return;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.command.code = -1;
    enum status status = STATUS_INVALID;
    const char *wrong = read_wanted(fields, &wanted, &status);
    if (wrong == NULL && running >= PROCESSES_MAX) {
        status = STATUS_TOO_MANY;
        wrong = "the sandbox has 256 processes, which is the bound";
    }
    if (wrong != NULL) {
        channel_refuse(number, status, wrong);
    } else {
        begin(number, &wanted);
    }
    wanted_free(&wanted);
}
