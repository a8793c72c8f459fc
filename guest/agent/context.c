#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "ending.h"
#include "errors.h"
#include "freeze.h"
#include "kernel.h"
#include "language.h"
#include "options.h"
#include "settings.h"
#include "streams.h"
#include "warm.h"

enum {
    CONTEXTS_MAX = 16,
    QUEUE_MAX = 64,
    NAME_MAX_BYTES = 64,
    START_MILLIS = 20000,
    // After an interrupt at a limit or by CANCEL, and after one that the host asked for.
    HEED_LIMIT_MILLIS = 40,
    HEED_MILLIS = 500,
    NUDGE_MILLIS = 2,
    DEATH_MILLIS = 40,
    LOOK_MILLIS = 20,
    RESULT_BYTES_MAX = 8 * 1024 * 1024,
    RESULT_TYPES_MAX = 64,
    // Records are taken from the kernel while less than this waits for credit.
    AHEAD_BYTES = 64 * 1024,
};

enum context_state { CONTEXT_STARTING, CONTEXT_READY, CONTEXT_GONE };

struct context;

// The channel of CONTEXT_OPEN, until the kernel is ready.
struct opening {
    struct channel channel;
    struct context *context;
};

struct execution {
    struct channel channel;
    struct link link;
    struct context *context;
    struct bytes code;
    struct limits limits;
    struct output output;
    struct timer wall;
    struct timer look;
    // What an interrupt or a kill must have brought about by then.
    struct timer grace;
    // Until an interrupt is heeded; the time to the next one doubles.
    struct timer nudge;
    int nudge_millis;
    bool is_running;
    bool is_cancelled;
    bool has_error;
    // A PROCESS that a warm kernel runs: it has no state to save, and the kernel ends with it.
    bool is_process;
    // The kernel says that it is over, and how; or the program's process has ended.
    bool is_over;
    int exit_code;
    // A program's own word for its status: it has ended but for its death, which takes milliseconds.
    bool has_said;
    // As it was then.
    uint64_t memory_peak;
    // Interrupted: `ending` is what it comes to if it does not heed.
    bool is_interrupted;
    // Even if it heeds: a limit or a CANCEL, not the host's wish to interrupt.
    bool keeps_ending;
    // Ended: the kernel goes too.
    bool has_ending;
    struct ending ending;
    int64_t asked_at;
    int64_t started_at;
    uint64_t cpu_before;
    uint64_t cpu_seen; // used when it was last looked at: of one that is just being killed nothing more is told
    int64_t frozen_before;
};

struct context {
    struct link link;
    struct kernel kernel;
    char name[NAME_MAX_BYTES + 1];
    enum context_state state;
    bool is_pooled;
    bool is_process_alive;
    struct opening *opening;
    struct timer patience;
    struct execution *current;
    struct link queue;
    size_t queue_count;
    int64_t asked_at;
};

static struct link contexts = {&contexts, &contexts};
// A kernel without a name, started for whoever comes next; NULL if there is none.
static struct context *ahead;
static enum language ahead_language;
static char ahead_directory[PATH_MAX];
static size_t context_count;
static size_t running;
static size_t waiting;

size_t executions_running(void) {
    return running;
}

size_t executions_waiting(void) {
    return waiting;
}

static struct context *find(const char *name) {
    for (struct link *link = contexts.next; link != &contexts; link = link->next) {
        struct context *context = CONTAINER(link, struct context, link);
        if (strcmp(context->name, name) == 0) {
            return context;
        }
    }
    return NULL;
}

static void start_next(struct context *context);

static void discard_execution(struct execution *execution) {
    timer_stop(&execution->wall);
    timer_stop(&execution->look);
    timer_stop(&execution->grace);
    timer_stop(&execution->nudge);
    bytes_free(&execution->code);
    free(execution);
}

// The memory of a context that is gone stays until its process is.
static void release(struct context *context) {
    if (context->state == CONTEXT_GONE && !context->is_process_alive && context->current == NULL
        && context->opening == NULL) {
        timer_stop(&context->patience);
        kernel_close(&context->kernel);
        free(context);
    }
}

// Takes the context out of the list, and ends what waits for it. Its kernel, and what runs in it, are the caller's.
static void leave(struct context *context) {
    context->state = CONTEXT_GONE;
    if (context == ahead) {
        ahead = NULL;
    }
    link_remove(&context->link);
    context_count--;
    timer_stop(&context->patience);
    while (!link_alone(&context->queue)) {
        struct execution *execution = CONTAINER(context->queue.next, struct execution, link);
        link_remove(&execution->link);
        waiting--;
        channel_fail(&execution->channel, STATUS_NOT_FOUND, "the context was lost by an earlier execution or closed");
        discard_execution(execution);
    }
    if (context->opening != NULL) {
        struct opening *opening = context->opening;
        context->opening = NULL;
        channel_fail(&opening->channel, STATUS_FAILED, "the kernel ended before it was ready");
        free(opening);
    }
}

// As leave, and ends its kernel.
static void lose(struct context *context) {
    if (context->state == CONTEXT_GONE) {
        return;
    }
    leave(context);
    if (context->is_process_alive) {
        job_kill(&context->kernel.job);
    }
}

// As leave, of a program that says that it has ended: whether that is true or not, it has. What it left behind stays.
static void take_at_its_word(struct context *context) {
    if (context->state == CONTEXT_GONE) {
        return;
    }
    leave(context);
    if (context->is_process_alive) {
        kill(context->kernel.job.pid, SIGKILL);
    }
}

// ---- executions

static bool keeps_context(const struct execution *execution) {
    return execution->is_over && !execution->has_ending && !execution->is_process
        && execution->context->state == CONTEXT_READY;
}

static void finish(struct execution *execution) {
    struct context *context = execution->context;
    struct bytes answer = {0};
    bool lost = !keeps_context(execution);
    int64_t now = loop_now();
    uint64_t cpu = context->is_process_alive ? process_cpu(context->kernel.job.pid)
                                             : (uint64_t)context->kernel.job.usage.ru_utime.tv_sec * 1000000
            + (uint64_t)context->kernel.job.usage.ru_utime.tv_usec
            + (uint64_t)context->kernel.job.usage.ru_stime.tv_sec * 1000000
            + (uint64_t)context->kernel.job.usage.ru_stime.tv_usec;
    uint64_t memory = execution->memory_peak > 0 ? execution->memory_peak
        : context->is_process_alive              ? process_memory_peak(context->kernel.job.pid)
                                                 : (uint64_t)context->kernel.job.usage.ru_maxrss * 1024;
    uint64_t used = execution->output.used < execution->output.limit ? execution->output.used
                                                                     : execution->output.limit;
    if (!execution->has_ending && !(execution->is_interrupted && execution->keeps_ending)) {
        execution->ending = ending_exited(execution->exit_code);
    }
    put_number(&answer, TAG_STATUS, execution->is_cancelled ? STATUS_CANCELLED : STATUS_OK);
    if (execution->is_cancelled) {
        put_string(&answer, TAG_MESSAGE, "cancelled by the host");
    }
    ending_put(&answer, &execution->ending);
    put_number(&answer, TAG_USED_WALL_MICROS, (uint64_t)(now - execution->started_at));
    uint64_t cpu_used = cpu > execution->cpu_before ? cpu - execution->cpu_before : 0;
    put_number(&answer, TAG_USED_CPU_MICROS, cpu_used > execution->cpu_seen ? cpu_used : execution->cpu_seen);
    put_number(&answer, TAG_USED_MEMORY_BYTES, memory);
    put_number(&answer, TAG_USED_OUTPUT_BYTES, used);
    put_number(&answer, TAG_QUEUED_MICROS, (uint64_t)(execution->started_at - execution->asked_at));
    put_number(&answer, TAG_POOLED, context->is_pooled);
    put_number(&answer, TAG_PHASE_MICROS, 0);
    if (!execution->is_process) {
        put_number(&answer, TAG_CONTEXT_LOST, lost);
    }
    kernel_attach(&context->kernel, NULL, NULL);
    channel_close(&execution->channel, &answer);
    bytes_free(&answer);
    bool has_said = execution->has_said && !execution->has_ending;
    context->current = NULL;
    running--;
    discard_execution(execution);
    kernel_pause(&context->kernel, false);
    if (lost) {
        if (has_said) {
            take_at_its_word(context);
        } else {
            lose(context);
        }
        release(context);
    } else {
        start_next(context);
    }
}

// Ends an execution and its kernel for a reason; the first one counts.
static void end(struct execution *execution, struct ending ending) {
    if (execution->has_ending) {
        return;
    }
    execution->has_ending = true;
    execution->ending = ending;
    timer_stop(&execution->wall);
    timer_stop(&execution->look);
    timer_set(&execution->grace, loop_now() + DEATH_MILLIS * MILLISECOND);
    lose(execution->context);
}

// After the kernel said that it is over: is all of it delivered?
static void settle(struct execution *execution) {
    struct kernel *kernel = &execution->context->kernel;
    if (execution->is_over && (!execution->has_ending || execution->is_process) && kernel->out.owed == 0 && kernel->err.owed == 0
        && channel_records_left(&execution->channel) == 0) {
        finish(execution);
    }
}

static void interrupt(struct execution *execution, struct ending ending, bool keeps_ending, int millis) {
    if (execution->has_ending || execution->is_over || (execution->is_interrupted && !keeps_ending)) {
        return;
    }
    if (execution->is_process && keeps_ending) {
        end(execution, ending);
        return;
    }
    execution->is_interrupted = true;
    execution->keeps_ending = keeps_ending;
    execution->ending = ending;
    timer_stop(&execution->wall);
    timer_stop(&execution->look);
    timer_set(&execution->grace, loop_now() + millis * MILLISECOND);
    kill(execution->context->kernel.job.pid, SIGINT);
    execution->nudge_millis = NUDGE_MILLIS;
    timer_set(&execution->nudge, loop_now() + NUDGE_MILLIS * MILLISECOND);
}

// An interpreter that got the interrupt just before it went to sleep in a system call only looks at it afterwards. Any
// further signal ends the call, and this one does nothing to who expects none.
static void on_nudge(struct timer *timer) {
    struct execution *execution = CONTAINER(timer, struct execution, nudge);
    if (execution->is_over || execution->has_ending) {
        return;
    }
    if (execution->context->kernel.job.pid > 0) {
        kill(execution->context->kernel.job.pid, SIGURG);
    }
    execution->nudge_millis *= 2;
    timer_set(timer, loop_now() + execution->nudge_millis * MILLISECOND);
}

static void on_grace(struct timer *timer) {
    struct execution *execution = CONTAINER(timer, struct execution, grace);
    if (execution->has_ending) {
        tap_drain(&execution->context->kernel.out);
        tap_drain(&execution->context->kernel.err);
        finish(execution);
    } else if (execution->is_cancelled) {
        // The answer cannot wait for the death any more.
        execution->has_ending = true;
        lose(execution->context);
        finish(execution);
    } else {
        end(execution, execution->ending);
    }
}

static void on_wall(struct timer *timer) {
    struct execution *execution = CONTAINER(timer, struct execution, wall);
    int64_t ran = loop_now() - execution->started_at - (frozen_micros() - execution->frozen_before);
    int64_t left = (int64_t)execution->limits.wall_millis * MILLISECOND - ran;
    if (left > 0) {
        timer_set(timer, loop_now() + (is_frozen() && left < 50 * MILLISECOND ? 50 * MILLISECOND : left));
        return;
    }
    if (execution->is_over) {
        // The kernel is done; it is the host that does not read.
        execution->is_interrupted = execution->keeps_ending = true;
        execution->ending = ending_timed_out(TAG_WALL_MILLIS, execution->limits.wall_millis);
        finish(execution);
        return;
    }
    interrupt(execution, ending_timed_out(TAG_WALL_MILLIS, execution->limits.wall_millis), true, HEED_LIMIT_MILLIS);
}

static void on_look(struct timer *timer) {
    struct execution *execution = CONTAINER(timer, struct execution, look);
    int64_t used = (int64_t)job_cpu(&execution->context->kernel.job) - (int64_t)execution->cpu_before;
    int64_t left = (int64_t)execution->limits.cpu_millis * MILLISECOND - used;
    execution->cpu_seen = used > 0 ? (uint64_t)used : 0;
    if (left <= 0) {
        interrupt(execution, ending_timed_out(TAG_CPU_MILLIS, execution->limits.cpu_millis), true, HEED_LIMIT_MILLIS);
        return;
    }
    int64_t next = left / processors();
    timer_set(timer, loop_now() + (next < LOOK_MILLIS * MILLISECOND ? LOOK_MILLIS * MILLISECOND : next));
}

static struct execution *of_channel(struct channel *channel) {
    return CONTAINER(channel, struct execution, channel);
}

static void on_moved(struct tap *tap) {
    if (tap->channel != NULL) {
        settle(of_channel(tap->channel));
    }
}

static void on_flooded(struct tap *tap) {
    if (tap->channel != NULL) {
        struct execution *execution = of_channel(tap->channel);
        end(execution, ending_flooded(execution->output.limit, false));
    }
}

static void on_pump(struct channel *channel) {
    struct execution *execution = of_channel(channel);
    if (!execution->is_running || (execution->has_ending && !execution->is_process)) {
        return;
    }
    struct context *context = execution->context;
    tap_pump(&context->kernel.out);
    tap_pump(&context->kernel.err);
    if (context->kernel.is_paused && channel_records_left(channel) < AHEAD_BYTES) {
        kernel_pause(&context->kernel, false); // which may bring the record that ends the execution
    }
    if (context->current == execution) {
        settle(execution);
    }
}

static void drop_queued(struct execution *execution, const struct ending *ending) {
    struct bytes answer = {0};
    link_remove(&execution->link);
    execution->context->queue_count--;
    waiting--;
    put_number(&answer, TAG_STATUS, execution->is_cancelled ? STATUS_CANCELLED : STATUS_OK);
    if (execution->is_cancelled) {
        put_string(&answer, TAG_MESSAGE, "cancelled by the host");
    }
    ending_put(&answer, ending);
    put_number(&answer, TAG_QUEUED_MICROS, (uint64_t)(loop_now() - execution->asked_at));
    put_number(&answer, TAG_CONTEXT_LOST, 0);
    channel_close(&execution->channel, &answer);
    bytes_free(&answer);
    discard_execution(execution);
}

static void on_control(struct channel *channel, const struct fields *fields) {
    struct execution *execution = of_channel(channel);
    uint64_t number = 0;
    char reason[32];
    bool wants_interrupt = fields_flag(fields, TAG_INTERRUPT);
    if (!wants_interrupt && fields_number(fields, TAG_SIGNAL, &number) != FIELD_FOUND) {
        return;
    }
    if (!execution->is_running) {
        struct ending ending = ending_killed("interrupted before it began");
        drop_queued(execution, &ending);
        return;
    }
    if (wants_interrupt || number == SIGINT) {
        interrupt(execution, ending_killed("did not heed the interrupt in 500 ms"), false, HEED_MILLIS);
    } else if (number == SIGKILL || number == SIGTERM || number == SIGHUP || number == SIGQUIT || number == SIGABRT) {
        snprintf(reason, sizeof reason, "signal %d", (int)number);
        end(execution, ending_killed(reason));
    }
}

static void on_cancel(struct channel *channel) {
    struct execution *execution = of_channel(channel);
    struct ending ending = ending_killed("cancelled");
    execution->is_cancelled = true;
    if (!execution->is_running) {
        drop_queued(execution, &ending);
    } else if (execution->is_over) {
        execution->is_interrupted = execution->keeps_ending = true;
        execution->ending = ending;
        finish(execution);
    } else if (!execution->has_ending) {
        // What it still writes is read and forgotten, so that it can come to its end.
        kernel_attach(&execution->context->kernel, NULL, NULL);
        interrupt(execution, ending, true, HEED_LIMIT_MILLIS);
    }
}

static const struct channel_kind kind_execution = {.pump = on_pump, .control = on_control, .cancel = on_cancel};

static void start_next(struct context *context) {
    if (context->state != CONTEXT_READY || context->current != NULL || link_alone(&context->queue)) {
        return;
    }
    struct execution *execution = CONTAINER(context->queue.next, struct execution, link);
    struct bytes record = {0};
    link_remove(&execution->link);
    context->queue_count--;
    waiting--;
    running++;
    context->current = execution;
    execution->is_running = true;
    execution->started_at = loop_now();
    execution->cpu_before = process_cpu(context->kernel.job.pid);
    execution->frozen_before = frozen_micros();
    context->kernel.job.oom_kills_before = oom_kills();
    kernel_attach(&context->kernel, &execution->channel, &execution->output);
    put_number(&record, TAG_STARTED, 1);
    put_number(&record, TAG_PROCESS_ID, (uint64_t)context->kernel.job.pid);
    put_number(&record, TAG_POOLED, context->is_pooled);
    channel_record(&execution->channel, &record);
    connection_defer(4 + record.length);
    bytes_free(&record);
    if (execution->limits.wall_millis < INT64_MAX / 2000) {
        timer_set(&execution->wall, loop_now() + (int64_t)execution->limits.wall_millis * MILLISECOND);
    }
    if (execution->limits.cpu_millis < UINT64_MAX / 1000) {
        timer_set(&execution->look,
                  loop_now() + (int64_t)execution->limits.cpu_millis * MILLISECOND / processors());
    }
    kernel_send(&context->kernel, &execution->code);
    bytes_free(&execution->code);
}

// ---- what the kernel says

static bool count_output(struct execution *execution, size_t length) {
    execution->output.used += length;
    if (execution->output.used > execution->output.limit) {
        end(execution, ending_flooded(execution->output.limit, true));
        return false;
    }
    return true;
}

static void on_error(struct execution *execution, const struct fields *fields) {
    struct bytes record = {0};
    if (execution->has_error) {
        return;
    }
    execution->has_error = true;
    error_put(&record, fields);
    if (count_output(execution, record.length)) {
        channel_record(&execution->channel, &record);
    }
    bytes_free(&record);
}

static void on_result(struct execution *execution, const struct fields *fields) {
    struct bytes record = {0};
    struct field field;
    struct field type = {0};
    size_t offset = 0;
    size_t size = 0;
    int types = 0;
    put_number(&record, TAG_MAIN_RESULT, fields_flag(fields, TAG_MAIN_RESULT));
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_MIME_TYPE) {
            type = field;
        } else if (field.tag == TAG_MIME_CONTENT && type.data != NULL) {
            size += type.length + field.length;
            if (++types > RESULT_TYPES_MAX || size > RESULT_BYTES_MAX) {
                break;
            }
            put_foreign(&record, TAG_MIME_TYPE, type.data, type.length);
            put_foreign(&record, TAG_MIME_CONTENT, field.data, field.length);
            type = (struct field){0};
        }
    }
    if (types > RESULT_TYPES_MAX || size > RESULT_BYTES_MAX) {
        struct ending ending = ending_flooded(RESULT_BYTES_MAX, true);
        snprintf(ending.reason, sizeof ending.reason,
                 "gave a result larger than the limit of 8388608 bytes or 64 types");
        end(execution, ending);
    } else if (count_output(execution, size)) {
        channel_record(&execution->channel, &record);
        kernel_pause(&execution->context->kernel, channel_records_left(&execution->channel) >= AHEAD_BYTES);
    }
    bytes_free(&record);
}

// A program has ended by itself. All that it wrote is delivered first, as far as the host reads within the wall clock's
// limit; what it left behind may not hold the end up.
static void settle_program(struct execution *execution) {
    struct kernel *kernel = &execution->context->kernel;
    execution->is_over = true;
    timer_stop(&execution->look);
    timer_stop(&execution->grace);
    tap_settle(&kernel->out);
    tap_settle(&kernel->err);
    settle(execution);
}

static void on_over(struct execution *execution, const struct fields *fields) {
    struct context *context = execution->context;
    struct kernel *kernel = &context->kernel;
    uint64_t code = 0;
    fields_number(fields, TAG_EXIT_CODE, &code);
    execution->exit_code = (int)(code & 0xff);
    if (execution->is_process) {
        execution->has_said = true;
        execution->memory_peak = process_memory_peak(context->kernel.job.pid);
        if (execution->memory_peak > 0 && !execution->has_ending && !execution->is_interrupted) {
            settle_program(execution);
        } else {
            kill(context->kernel.job.pid, SIGKILL); // it is over when its process is
        }
        return;
    }
    execution->is_over = true;
    timer_stop(&execution->grace);
    if (kernel->out.channel == NULL) {
        finish(execution); // cancelled, and heeded
        return;
    }
    tap_settle(&kernel->out);
    tap_settle(&kernel->err);
    settle(execution);
}

static void on_ready(struct context *context) {
    struct opening *opening = context->opening;
    struct bytes answer = {0};
    context->state = CONTEXT_READY;
    timer_stop(&context->patience);
    if (opening != NULL) {
        context->opening = NULL;
        put_number(&answer, TAG_STATUS, STATUS_OK);
        put_number(&answer, TAG_POOLED, context->is_pooled);
        put_number(&answer, TAG_PHASE_MICROS, (uint64_t)(loop_now() - context->asked_at));
        channel_close(&opening->channel, &answer);
        bytes_free(&answer);
        free(opening);
    }
    start_next(context);
}

static void on_record(struct kernel *kernel, const struct fields *fields) {
    struct context *context = CONTAINER(kernel, struct context, kernel);
    struct execution *execution = context->current;
    if (context->state == CONTEXT_STARTING && fields_flag(fields, TAG_STARTED)) {
        on_ready(context);
    } else if (execution == NULL || execution->is_over || execution->has_ending) {
        return; // nobody asked
    } else if (fields_has(fields, TAG_OUTCOME)) {
        on_over(execution, fields);
    } else if (fields_has(fields, TAG_ERROR_NAME)) {
        on_error(execution, fields);
    } else if (fields_has(fields, TAG_MIME_TYPE)) {
        on_result(execution, fields);
    }
}

// Without its socket a kernel is of no use, whether its process lives or not.
static void on_hung_up(struct kernel *kernel) {
    struct context *context = CONTAINER(kernel, struct context, kernel);
    if (context->current != NULL && context->is_process_alive) {
        // It may be about to end by itself; then the end of the process says how.
        if (!context->current->has_ending) {
            timer_set(&context->current->grace, loop_now() + HEED_MILLIS * MILLISECOND);
            context->current->ending = context->current->is_interrupted
                ? context->current->ending
                : ending_lost("the kernel broke its connection, or its protocol");
        }
    } else {
        lose(context);
    }
}

// ---- the life of a context

static void on_started(struct job *job) {
    (void)job; // the kernel says itself when it is ready
}

static void on_failed(struct job *job, enum launch_stage stage, int error) {
    struct context *context = CONTAINER(CONTAINER(job, struct kernel, job), struct context, kernel);
    const char *message;
    enum status status = launch_status(stage, error, &message);
    struct opening *opening = context->opening;
    context->is_process_alive = false;
    if (opening != NULL) {
        context->opening = NULL;
        if (stage == STAGE_PROGRAM && error == ENOENT) {
            status = STATUS_UNSUPPORTED;
            message = "the sandbox has no interpreter for this language: one with the template code has";
        }
        channel_fail(&opening->channel, status, message);
        free(opening);
    }
    lose(context);
    release(context);
}

static void on_exited(struct job *job) {
    struct context *context = CONTAINER(CONTAINER(job, struct kernel, job), struct context, kernel);
    kernel_drain(&context->kernel);
    context->is_process_alive = false;
    struct execution *execution = context->current;
    lose(context);
    if (execution != NULL) {
        if (execution->is_process && execution->is_over && !execution->has_ending) {
            settle(execution); // what it wrote is being delivered
            return;
        }
        tap_drain(&context->kernel.out);
        tap_drain(&context->kernel.err);
        if (!execution->has_ending && !execution->is_over) {
            bool was_memory = job_was_out_of_memory(job);
            if (was_memory || !(execution->is_interrupted && execution->keeps_ending)) {
                execution->ending = ending_of_job(job, 0, execution->limits.memory_bytes);
                if (execution->has_said && !was_memory) {
                    execution->ending = ending_exited(execution->exit_code);
                }
            }
            execution->has_ending = true;
            if (execution->is_process) {
                settle_program(execution);
                return;
            }
        }
        finish(execution);
        return;
    }
    release(context);
}

static void on_opening_cancel(struct channel *channel) {
    struct opening *opening = CONTAINER(channel, struct opening, channel);
    struct context *context = opening->context;
    context->opening = NULL;
    channel_fail(channel, STATUS_CANCELLED, "cancelled by the host");
    free(opening);
    lose(context);
    release(context);
}

static const struct channel_kind kind_opening = {.cancel = on_opening_cancel};

static void on_patience(struct timer *timer) {
    struct context *context = CONTAINER(timer, struct context, patience);
    lose(context);
    release(context);
}

static bool is_name(const char *name) {
    size_t length = strlen(name);
    return length >= 1 && length <= NAME_MAX_BYTES
        && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

struct wanted {
    char name[NAME_MAX_BYTES + 1];
    enum language language;
    struct user user;
    struct environment environment;
    char directory[PATH_MAX];
    bool directory_is_guess;
    bool is_default;
    // Import first what is slow to import.
    bool preloads;
    char program[PATH_MAX];
};

static bool find_program(struct wanted *wanted) {
    const char *file = wanted->language == LANGUAGE_PYTHON ? "python.py" : "javascript.js";
    int length = snprintf(wanted->program, sizeof wanted->program, "%s/%s", options.kernels, file);
    return length > 0 && length < PATH_MAX && access(wanted->program, R_OK) == 0;
}

static const char *read_wanted(const struct fields *fields, struct wanted *wanted, enum status *status) {
    char word[32] = "python";
    const char *wrong = settings_user(fields, &wanted->user, status);
    if (wrong != NULL) {
        return wrong;
    }
    *status = STATUS_INVALID;
    if (fields_text(fields, TAG_CONTEXT, wanted->name, sizeof wanted->name) != FIELD_FOUND || !is_name(wanted->name)) {
        return "a context's name is 1 to 64 of letters, digits, '_' and '-'";
    }
    if (fields_text(fields, TAG_LANGUAGE, word, sizeof word) == FIELD_BROKEN) {
        return "LANGUAGE is no word";
    }
    wanted->language = language_of(word);
    if (wanted->language == LANGUAGE_BASH || wanted->language == LANGUAGE_UNKNOWN) {
        *status = strcmp(word, "bash") == 0 || strcmp(word, "wasm") == 0 ? STATUS_UNSUPPORTED : STATUS_INVALID;
        return "a context's language is python, javascript or typescript";
    }
    if (!settings_directory(fields, wanted->directory, &wanted->directory_is_guess)) {
        return "DIRECTORY is no path";
    }
    if (find(wanted->name) != NULL) {
        *status = STATUS_ALREADY_EXISTS;
        return "a context of that name is open already";
    }
    if (context_count == CONTEXTS_MAX) {
        *status = STATUS_TOO_MANY;
        return "the sandbox has 16 contexts, which is the bound";
    }
    *status = STATUS_UNSUPPORTED;
    if (!find_program(wanted)) {
        return "the sandbox's template has no kernel for this language";
    }
    wanted->is_default = strcmp(wanted->directory, settings.directory) == 0 && !fields_has(fields, TAG_USER);
    *status = STATUS_INVALID;
    return settings_environment(fields, &wanted->user, &wanted->environment);
}

static bool launch(struct context *context, const struct wanted *wanted) {
    bool is_python = wanted->language == LANGUAGE_PYTHON;
    char *const python[] = {(char[]){"python3"}, (char[]){"-u"}, (char *)(uintptr_t)wanted->program,
                            (char[]){"preload"}, NULL};
    char *const node[] = {(char[]){"node"}, (char *)(uintptr_t)wanted->program, (char[]){"typescript"}, NULL};
    int ours[3] = {-1, -1, -1};
    int guest[LAUNCH_FDS] = {-1, -1, -1, -1};
    int pair[2] = {-1, -1};
    guest[LAUNCH_STDIN] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ok = guest[LAUNCH_STDIN] >= 0 && streams_pipe(&wanted->user, true, &ours[1], &guest[LAUNCH_STDOUT])
        && streams_pipe(&wanted->user, true, &ours[2], &guest[LAUNCH_STDERR])
        && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
    ours[0] = pair[0];
    guest[LAUNCH_EXTRA] = pair[1];
    if (!ok) {
        for (int i = 0; i < LAUNCH_FDS; i++) {
            close(guest[i]);
        }
        for (int i = 0; i < 3; i++) {
            close(ours[i]);
        }
        errno = EMFILE;
        return false;
    }
    struct launch_plan plan = {
        .arguments = is_python ? python : node,
        .argument_count = is_python ? (wanted->preloads ? 4 : 3) : wanted->language == LANGUAGE_TYPESCRIPT ? 3 : 2,
        .environment = wanted->environment.entries,
        .environment_count = wanted->environment.count,
        .directory = wanted->directory,
        .directory_is_guess = wanted->directory_is_guess,
        .user = &wanted->user,
    };
    kernel_init(&context->kernel, ours[0], ours[1], ours[2]);
    context->is_process_alive = job_begin(&context->kernel.job, &plan, guest);
    if (!context->is_process_alive) {
        kernel_close(&context->kernel);
    }
    return context->is_process_alive;
}

// A kernel that is warm already, if there is one of this kind.
static bool adopt(struct context *context, const struct wanted *wanted) {
    struct warm_kernel warm;
    if (!wanted->is_default || !warm_take(wanted->language, &warm)) {
        return false;
    }
    kernel_init(&context->kernel, warm.socket, warm.out, warm.err);
    context->is_pooled = true;
    context->is_process_alive = job_adopt(&context->kernel.job, warm.pid);
    if (!context->is_process_alive) {
        kernel_close(&context->kernel);
        context->is_pooled = false;
    }
    return context->is_process_alive;
}

static void prepare(struct context *context) {
    context->asked_at = loop_now();
    link_init(&context->link);
    link_init(&context->queue);
    timer_init(&context->patience, on_patience);
    context->kernel.record = on_record;
    context->kernel.hung_up = on_hung_up;
    context->kernel.job.started = on_started;
    context->kernel.job.failed = on_failed;
    context->kernel.job.exited = on_exited;
}

static void watch_streams(struct context *context) {
    context->kernel.out.moved = context->kernel.err.moved = on_moved;
    context->kernel.out.flooded = context->kernel.err.flooded = on_flooded;
}

void context_prepare(uint32_t number, enum language language) {
    static struct wanted wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.language = language;
    wanted.preloads = true;
    user_default(&wanted.user);
    memcpy(wanted.directory, settings.directory, PATH_MAX);
    wanted.directory_is_guess = settings.directory_is_guess;
    struct fields nothing = {0};
    // No kernel, no room, or one already: nothing is prepared, and nothing is wrong.
    if (language != LANGUAGE_PYTHON || ahead != NULL || warm_has(language) || context_count == CONTEXTS_MAX || !find_program(&wanted)
        || settings_environment(&nothing, &wanted.user, &wanted.environment) != NULL) {
        environment_free(&wanted.environment);
        channel_refuse(number, STATUS_OK, NULL);
        return;
    }
    struct context *context = calloc(1, sizeof *context);
    struct opening *opening = calloc(1, sizeof *opening);
    bool ok = context != NULL && opening != NULL;
    if (ok) {
        prepare(context);
        ok = launch(context, &wanted);
    }
    environment_free(&wanted.environment);
    if (!ok) {
        free(context);
        free(opening);
        channel_refuse(number, STATUS_TOO_MANY, "the sandbox has no room for an interpreter");
        return;
    }
    watch_streams(context);
    opening->context = context;
    context->opening = opening;
    link_append(&contexts, &context->link);
    context_count++;
    ahead = context;
    ahead_language = language;
    memcpy(ahead_directory, wanted.directory, PATH_MAX);
    channel_open(&opening->channel, number, &kind_opening);
    timer_set(&context->patience, loop_now() + (int64_t)START_MILLIS * MILLISECOND);
}

// The kernel that was prepared, if it is ready and of this kind.
static struct context *take_ahead(enum language language, const char *directory) {
    struct context *context = ahead;
    if (context == NULL || context->state != CONTEXT_READY || !context->is_process_alive
        || language != ahead_language || strcmp(directory, ahead_directory) != 0) {
        return NULL;
    }
    ahead = NULL;
    context->is_pooled = true;
    return context;
}

static bool open_ahead(uint32_t number, const struct wanted *wanted) {
    struct context *context = wanted->is_default ? take_ahead(wanted->language, wanted->directory) : NULL;
    struct opening *opening = context == NULL ? NULL : calloc(1, sizeof *opening);
    if (opening == NULL) {
        ahead = context == NULL ? ahead : context;
        return false;
    }
    strcpy(context->name, wanted->name);
    context->asked_at = loop_now();
    opening->context = context;
    context->opening = opening;
    channel_open(&opening->channel, number, &kind_opening);
    on_ready(context);
    return true;
}

void context_open_request(uint32_t number, const struct fields *fields) {
    static struct wanted wanted;
    enum status status;
    memset(&wanted, 0, sizeof wanted);
    const char *wrong = read_wanted(fields, &wanted, &status);
    if (wrong == NULL && open_ahead(number, &wanted)) {
        environment_free(&wanted.environment);
        return;
    }
    struct context *context = wrong == NULL ? calloc(1, sizeof *context) : NULL;
    struct opening *opening = wrong == NULL ? calloc(1, sizeof *opening) : NULL;
    if (wrong == NULL && (context == NULL || opening == NULL)) {
        status = STATUS_FAILED;
        wrong = "there is no memory for a context";
    }
    if (wrong == NULL) {
        strcpy(context->name, wanted.name);
        prepare(context);
        if (!adopt(context, &wanted) && !launch(context, &wanted)) {
            status = STATUS_TOO_MANY;
            wrong = "the sandbox has no room for another process: its bound of processes, memory or files is reached";
        }
    }
    environment_free(&wanted.environment);
    if (wrong != NULL) {
        free(context);
        free(opening);
        channel_refuse(number, status, wrong);
        return;
    }
    watch_streams(context);
    opening->context = context;
    context->opening = opening;
    link_append(&contexts, &context->link);
    context_count++;
    channel_open(&opening->channel, number, &kind_opening);
    if (context->is_pooled) {
        on_ready(context); // it said so to whoever warmed it
    } else {
        timer_set(&context->patience, loop_now() + (int64_t)START_MILLIS * MILLISECOND);
    }
}

// The environment of CONFIGURE may be newer than the kernel, so it goes with each execution.
static bool encode_code(const struct fields *fields, struct bytes *record) {
    struct bytes code = {0};
    size_t offset = 0;
    struct field field;
    for (size_t i = 0; i < settings.environment.count; i++) {
        put_string(record, TAG_ENVIRONMENT, settings.environment.entries[i]);
    }
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_ENVIRONMENT) {
            put_bytes(record, TAG_ENVIRONMENT, field.data, field.length);
        }
    }
    fields_join(fields, TAG_CODE, &code);
    bool ok = code.length <= CODE_BYTES_MAX && !code.failed;
    put_foreign(record, TAG_CODE, code.data, code.length);
    bytes_free(&code);
    return ok && !record->failed;
}

static struct context *named(uint32_t number, const struct fields *fields) {
    char name[NAME_MAX_BYTES + 1];
    if (fields_text(fields, TAG_CONTEXT, name, sizeof name) != FIELD_FOUND || !is_name(name)) {
        channel_refuse(number, STATUS_INVALID, "a context's name is 1 to 64 of letters, digits, '_' and '-'");
        return NULL;
    }
    struct context *context = find(name);
    if (context == NULL) {
        channel_refuse(number, STATUS_NOT_FOUND, "no such context; it was never opened, was closed, or was lost");
    }
    return context;
}

static void enqueue(struct context *context, struct execution *execution, uint32_t number,
                    const struct limits *limits) {
    execution->context = context;
    execution->limits = *limits;
    execution->output.limit = limits->output_bytes;
    execution->asked_at = loop_now();
    timer_init(&execution->wall, on_wall);
    timer_init(&execution->look, on_look);
    timer_init(&execution->grace, on_grace);
    timer_init(&execution->nudge, on_nudge);
    link_init(&execution->link);
    link_append(&context->queue, &execution->link);
    context->queue_count++;
    waiting++;
    channel_open(&execution->channel, number, &kind_execution);
    start_next(context);
}

void execute_request(uint32_t number, const struct fields *fields) {
    struct environment checked = {0};
    struct context *context = named(number, fields);
    struct limits limits = settings.limits;
    if (context == NULL) {
        return;
    }
    const char *wrong = environment_add(&checked, fields);
    environment_free(&checked);
    if (wrong == NULL && !limits_read(fields, &limits)) {
        wrong = "a limit is no number";
    }
    if (wrong != NULL) {
        channel_refuse(number, STATUS_INVALID, wrong);
        return;
    }
    if (context->queue_count == QUEUE_MAX) {
        channel_refuse(number, STATUS_TOO_MANY, "64 executions wait in this context already, which is the bound");
        return;
    }
    struct execution *execution = calloc(1, sizeof *execution);
    if (execution == NULL || !encode_code(fields, &execution->code)) {
        if (execution != NULL) {
            bytes_free(&execution->code);
        }
        free(execution);
        channel_refuse(number, STATUS_INVALID, "code is longer than the bound of 4194304 bytes");
        return;
    }
    enqueue(context, execution, number, &limits);
}

// Whether a warm kernel can do what this PROCESS asks for: a program of its language that reads no input, for the usual
// user, in the directory where the kernel is.
static bool suits(const struct fields *fields, struct wanted *wanted, struct limits *limits) {
    char word[32];
    enum status status;
    bool plain = !fields_flag(fields, TAG_STDIN_OPEN) && !fields_has(fields, TAG_COLUMNS)
        && !fields_has(fields, TAG_USER) && fields_text(fields, TAG_LANGUAGE, word, sizeof word) == FIELD_FOUND
        && limits_read(fields, limits) && limits->memory_bytes >= settings.limits.memory_bytes
        && settings_directory(fields, wanted->directory, &wanted->directory_is_guess)
        && settings_user(fields, &wanted->user, &status) == NULL;
    wanted->language = plain ? language_of(word) : LANGUAGE_UNKNOWN;
    bool is_home = plain && strcmp(wanted->directory, settings.directory) == 0;
    bool has_ahead = plain && ahead != NULL && ahead->state == CONTEXT_READY && wanted->language == ahead_language
        && strcmp(wanted->directory, ahead_directory) == 0;
    wanted->is_default = is_home;
    return (has_ahead || (is_home && warm_has(wanted->language)))
        && settings_environment(fields, &wanted->user, &wanted->environment) == NULL;
}

// A record that a kernel runs as a program, and ends with.
static bool encode_program(const struct fields *fields, const struct wanted *wanted, struct bytes *record) {
    struct bytes code = {0};
    size_t offset = 0;
    struct field field;
    if (fields_find(fields, TAG_FILE_NAME, &field)) {
        put_bytes(record, TAG_FILE_NAME, field.data, field.length);
    } else {
        put_string(record, TAG_FILE_NAME, language_file_name(wanted->language));
    }
    put_string(record, TAG_DIRECTORY, wanted->directory);
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == TAG_ARGUMENT) {
            put_bytes(record, TAG_ARGUMENT, field.data, field.length);
        }
    }
    for (size_t i = 0; i < wanted->environment.count; i++) {
        put_string(record, TAG_ENVIRONMENT, wanted->environment.entries[i]);
    }
    fields_join(fields, TAG_CODE, &code);
    bool ok = code.length <= CODE_BYTES_MAX && !code.failed;
    put_bytes(record, TAG_CODE, code.data, code.length);
    bytes_free(&code);
    return ok && !record->failed;
}

// The kernel that was prepared, or one that a zygote made.
static struct context *take_warm(const struct wanted *wanted) {
    struct context *context = take_ahead(wanted->language, wanted->directory);
    if (context != NULL) {
        return context;
    }
    context = wanted->is_default ? calloc(1, sizeof *context) : NULL;
    if (context != NULL) {
        prepare(context);
        if (!adopt(context, wanted)) {
            free(context);
            return NULL;
        }
        watch_streams(context);
        context->state = CONTEXT_READY;
        context_count++;
    }
    return context;
}

bool context_run_warm(uint32_t number, const struct fields *fields) {
    static struct wanted wanted;
    struct limits limits = settings.limits;
    memset(&wanted, 0, sizeof wanted);
    struct execution *execution = suits(fields, &wanted, &limits) ? calloc(1, sizeof *execution) : NULL;
    struct context *context = execution != NULL && encode_program(fields, &wanted, &execution->code)
        ? take_warm(&wanted)
        : NULL;
    environment_free(&wanted.environment);
    if (context == NULL) {
        if (execution != NULL) {
            bytes_free(&execution->code);
        }
        free(execution);
        return false;
    }
    execution->is_process = true;
    enqueue(context, execution, number, &limits);
    return true;
}

void context_close_request(uint32_t number, const struct fields *fields) {
    struct context *context = named(number, fields);
    if (context == NULL) {
        return;
    }
    if (context->current != NULL) {
        end(context->current, ending_killed("its context was closed"));
    }
    lose(context);
    release(context);
    channel_refuse(number, STATUS_OK, NULL);
}
