package dev.glovebox.core;

import java.time.Duration;

/// Every bound of the product, with its reason. A number that limits something belongs here and nowhere else, so that
/// an operator can read on one page how much anybody can ask for. Bounds of the agent protocol's encoding are part of
/// the protocol and stand in `wire`.
public final class Limits {
    private Limits() {}

    private static final long MIB = 1024L * 1024L;

    // ---- one process or execution

    /// Agents' scripts are short; who needs longer says so.
    public static final Duration WALL_TIME_DEFAULT = Duration.ofSeconds(30);
    /// A day: longer work belongs in a sandbox with a lease, not in one process.
    public static final Duration WALL_TIME_MAX = Duration.ofHours(24);
    /// The same as the wall clock: one guest thread cannot use more.
    public static final Duration CPU_TIME_DEFAULT = Duration.ofSeconds(30);

    public static final Duration CPU_TIME_MAX = Duration.ofHours(24);

    /// CPython needs about 10 MiB, pandas 90; node needs 130 for a program that prints 10 MiB.
    public static final long MEMORY_BYTES_DEFAULT = 256 * MIB;
    /// Below this no interpreter starts.
    public static final long MEMORY_BYTES_MIN = 16 * MIB;
    /// A 32-bit WebAssembly memory is at most 4 GiB; half of it keeps pointers positive.
    public static final long MEMORY_BYTES_MAX = 2048 * MIB;

    /// Enough for any log that a model will read; a flood ends here.
    public static final long OUTPUT_BYTES_DEFAULT = 8 * MIB;

    /// A server in a sandbox may write for a day; nothing of it is kept.
    public static final long OUTPUT_BYTES_MAX = 1024 * 1024 * MIB;

    /// Output that a reply holds in memory at once; larger output must be streamed.
    public static final long BUFFERED_OUTPUT_BYTES_MAX = 16 * MIB;

    /// One MIME bundle, for example a large PNG.
    public static final int RESULT_BYTES_MAX = (int) (8 * MIB);
    /// Representations of one result; Jupyter's richest have about ten.
    public static final int RESULT_TYPES_MAX = 64;
    /// Each text of an error: enough for any traceback that somebody reads.
    public static final int ERROR_CHARS_MAX = 256 * 1024;

    // ---- file system of a sandbox

    public static final long DISK_BYTES_DEFAULT = 64 * MIB;
    public static final long DISK_BYTES_MAX = 64 * 1024 * MIB;
    /// Files in memory, in the tiers that are no Linux systems.
    public static final long CELL_DISK_BYTES_MAX = 1024 * MIB;
    /// Files of a Linux sandbox are in memory, if this is also at most half of its memory; else on a disk of its own.
    public static final long DISK_BYTES_IN_MEMORY_MAX = 256 * MIB;
    /// Where the host can make no disks for sandboxes.
    public static final long DISK_BYTES_WITHOUT_DISKS_MAX = 1024 * MIB;
    /// From and to the disk of a Linux sandbox, each. What is in the cache is not counted.
    public static final long DISK_BYTES_PER_SECOND = 512 * MIB;

    public static final int DISK_OPERATIONS_PER_SECOND = 20_000;
    /// Of a Linux sandbox that an E2B client makes; those clients cannot ask for it.
    public static final long E2B_DISK_BYTES = 1024 * MIB;
    /// One file on its way in or out, and a request's body with it.
    public static final long FILE_BYTES_MAX = DISK_BYTES_MAX;

    public static final int FILE_COUNT_DEFAULT = 10_000;
    public static final int FILE_COUNT_MAX = 100_000;
    /// As Linux: NAME_MAX.
    public static final int FILE_NAME_BYTES_MAX = 255;
    /// As Linux: PATH_MAX.
    public static final int PATH_BYTES_MAX = 4096;
    /// As Linux: more links than this in one path is a loop.
    public static final int SYMLINK_DEPTH_MAX = 40;
    /// Nesting that recursive operations can bear.
    public static final int DIRECTORY_DEPTH_MAX = 256;

    public static final int OPEN_FILES_MAX = 256;

    // ---- requests

    /// Code in a request: a program, not a data set. Data goes into files.
    public static final int CODE_BYTES_MAX = (int) (4 * MIB);
    /// As Linux' default ARG_MAX for one string list; bounds argv and environment each.
    public static final int ARGUMENTS_BYTES_MAX = 128 * 1024;

    public static final int ARGUMENTS_MAX = 4096;
    /// A request body of the native API, files in base64 included.
    public static final long REQUEST_BYTES_MAX = 64 * MIB;
    /// A request body of E2B's control plane: metadata and an environment.
    public static final int CONTROL_REQUEST_BYTES_MAX = (int) MIB;
    /// One message to a sandbox's files and processes in E2B's protocol, input for a process in base64 included. It is
    /// held in memory as a whole.
    public static final int ENVD_MESSAGE_BYTES_MAX = (int) (8 * MIB);
    /// The message that begins a stream, which lives as long as the stream: arguments and an environment, escaped.
    public static final int ENVD_START_BYTES_MAX = (int) (2 * MIB);
    /// All such messages that are held at once; each takes about three times its size.
    public static final int ENVD_MESSAGES_BYTES_MAX = (int) (48 * MIB);
    /// A WebAssembly module given by a user.
    public static final int MODULE_BYTES_MAX = (int) (32 * MIB);

    public static final int METADATA_ENTRIES_MAX = 64;
    public static final int METADATA_VALUE_BYTES_MAX = 2048;
    /// Memory of a Linux sandbox that an E2B client makes; those clients cannot ask for it.
    public static final long E2B_MEMORY_BYTES = 1024 * MIB;
    /// Names and values of a file's extended attributes together.
    public static final int ATTRIBUTES_BYTES_MAX = 4096;
    /// Columns or rows of a terminal.
    public static final int TERMINAL_SIZE_MAX = 4096;
    /// Sandboxes that wait to be started, when more are wanted than are ready.
    public static final int STARTS_WAITING_MAX = 256;
    /// Directories of one sandbox that are watched at once; as many as the agent takes.
    public static final int WATCHES_PER_SANDBOX_MAX = 32;
    public static final int PAGE_SIZE_DEFAULT = 100;
    public static final int PAGE_SIZE_MAX = 1000;
    /// Files that a one-shot run hands in or asks for.
    public static final int RUN_FILES_MAX = 256;

    // ---- streams of processes to E2B's clients

    /// Output that waits for the reader that is furthest; with more, the process waits too, as with any pipe.
    public static final int PROCESS_BACKLOG_BYTES = 256 * 1024;
    /// Output that waits for readers of all processes together; with more, each process has a sixteenth of its own
    /// bounds.
    public static final long PROCESS_BACKLOGS_BYTES_MAX = 64 * MIB;
    /// How far one of several readers may be behind the furthest before the others are more important.
    public static final int PROCESS_LAG_BYTES_MAX = (int) MIB;
    /// How long all others wait for a reader that is so far behind, until it has caught up again.
    public static final Duration PROCESS_LAG_GRACE = Duration.ofSeconds(1);
    /// A reader that takes nothing for so long while output waits for it loses its stream, and the process goes on.
    public static final Duration PROCESS_STALL_MAX = Duration.ofSeconds(10);
    /// Readers of one process at once.
    public static final int PROCESS_READERS_MAX = 256;
    /// How long it is still told how a process ended.
    public static final Duration PROCESS_AFTERLIFE = Duration.ofSeconds(30);
    /// Processes of a sandbox that ended in that time and are remembered; of more, those that ended last.
    public static final int PROCESSES_REMEMBERED_MAX = 256;

    // ---- sandboxes

    public static final Duration LEASE_DEFAULT = Duration.ofMinutes(5);
    public static final Duration LEASE_MAX = Duration.ofHours(24);
    public static final int SANDBOXES_PER_TENANT_MAX = 200;
    public static final int SANDBOXES_MAX = 1000;
    public static final int CONTEXTS_PER_SANDBOX_MAX = 16;
    /// Programs that are started from outside and run at once; as many as an agent takes.
    public static final int PROCESSES_PER_SANDBOX_MAX = 256;
    /// The same in a cell, where each is an interpreter with a memory of its own.
    public static final int CELL_PROCESSES_PER_SANDBOX_MAX = 64;
    /// Connections to its ports at once: what some browsers open to one page. Each may hold 0.6 MiB of the server while
    /// nobody reads, and takes one of the 1024 channels of the sandbox, of which files and processes need some.
    public static final int PORT_CONNECTIONS_PER_SANDBOX_MAX = 256;
    /// Runs of one tenant that may be under way or waiting at once; one more is refused with 429.
    public static final int RUNS_PER_TENANT_MAX = 512;
    /// What a run may wait for a place on the cell's processors before it is refused.
    public static final Duration ADMISSION_WAIT_MAX = Duration.ofSeconds(30);

    // ---- cells

    /// How long a worker JVM may take from its start to its greeting; measured 0.1 s with an AOT cache, 1 s without.
    public static final Duration CELL_START_MAX = Duration.ofSeconds(20);
    /// Warm cells that belong to nobody yet.
    public static final int SPARE_CELLS = 1;
    /// How long past a guest's own limit the server waits for the cell to say so before it ends the whole cell.
    public static final Duration CELL_GRACE = Duration.ofSeconds(2);
    /// After an interrupt: how long a guest may take to heed it before it is ended.
    public static final Duration INTERRUPT_GRACE = Duration.ofMillis(500);
    /// A cell without a sandbox is ended after this, to give its memory back.
    public static final Duration CELL_IDLE_MAX = Duration.ofMinutes(5);
    /// The last bound on a cell's resident memory, whatever its guests do: beyond it the cell is ended.
    public static final long CELL_MEMORY_BYTES_MAX = 4096 * MIB;
    /// What the files of all sandboxes of a cell may hold together: half of the cell's heap, because the other half
    /// must always be there for what is in flight.
    public static final long CELL_FILES_BYTES_MAX = 512 * MIB;
    /// A cell that holds more takes no new sandboxes and ends with its last: V8 and the C library do not give all back.
    public static final long CELL_WORN_BYTES = 640 * MIB;
    /// How often a cell's memory is looked at. A guest that touches new memory as fast as it can gets 50 MB further.
    public static final Duration CELL_MEMORY_INTERVAL = Duration.ofMillis(20);

    // ---- Linux sandboxes

    /// Processes and threads of a workload: a build with many jobs fits, a fork bomb ends here.
    public static final int PIDS_DEFAULT = 512;
    /// What an interpreter with numpy and pandas in it, made ready before anybody came, may hold beside a
    /// workload's own limit; measured 75 MiB.
    public static final long PREPARED_BYTES = 128 * MIB;
    /// Processor time a second, in thousandths of a processor.
    public static final int CPU_SHARE_MILLIS_DEFAULT = 2000;
    /// From the request to the connection; measured 5 ms.
    public static final Duration JAIL_START_MAX = Duration.ofSeconds(10);
    /// The same for gVisor; measured 0.25 s, more on a busy machine. A way of intercepting system calls that hangs is
    /// given up after this.
    public static final Duration GVISOR_START_MAX = Duration.ofSeconds(20);
    /// What gVisor's own kernel and file server may take beside the workload; measured 45 MiB, and more while the agent
    /// in it has not yet seen that a guest is over its bound.
    public static final long GVISOR_OVERHEAD_BYTES = 384 * MIB;
    /// Host threads of gVisor: its kernel makes some for each of the guest's.
    public static final int PIDS_OF_GVISOR = 4096;

    // ---- network

    /// Entries of allow out and deny out together; each connection is compared with all of them.
    public static final int NETWORK_ENTRIES_MAX = 256;
    /// Hosts whose requests are looked at or get headers; as E2B.
    public static final int NETWORK_REQUEST_RULES_MAX = 10;
    /// As E2B.
    public static final int NETWORK_HEADERS_PER_RULE_MAX = 20;
    /// As E2B.
    public static final int NETWORK_HEADER_NAME_CHARS_MAX = 64;
    /// As E2B; a token fits.
    public static final int NETWORK_HEADER_VALUE_CHARS_MAX = 2048;
    /// Tunnels that one sandbox may name.
    public static final int NETWORK_TUNNELS_MAX = 16;
    /// A policy as a file.
    public static final int NETWORK_POLICY_BYTES_MAX = 256 * 1024;
    /// That an administrator defines for one tenant; each policy names some of them.
    public static final int TUNNELS_PER_TENANT_MAX = 64;
    /// At once, from one sandbox, where the tunnel's definition says nothing else.
    public static final int TUNNEL_CONNECTIONS_DEFAULT = 16;
    /// An idle connection to a database is kept for minutes by most pools.
    public static final Duration TUNNEL_IDLE_DEFAULT = Duration.ofMinutes(10);
    /// Secrets of one tenant.
    public static final int SECRETS_PER_TENANT_MAX = 100;
    /// Hosts that one secret is bound to.
    public static final int SECRET_HOSTS_MAX = 16;
    /// A long signed token fits; it is sent in one header.
    public static final int SECRET_CHARS_MAX = 4096;
    /// Open at once from one sandbox: a build that fetches many packages stays below.
    public static final int EGRESS_CONNECTIONS_DEFAULT = 256;
    /// Each is two sockets of the server.
    public static final int EGRESS_CONNECTIONS_MAX = 2500;

    /// Connections of all sandboxes at once, or a sixth of the files that the server may open, if that is less.
    /// Half of what all sandboxes share (this and the other bounds for all of them) goes to whoever comes first;
    /// of the other half each sandbox may have an even part.
    public static final int EGRESS_CONNECTIONS_ALL_MAX = 8192;

    public static final int EGRESS_CONNECTIONS_PER_SECOND_DEFAULT = 100;
    public static final int EGRESS_CONNECTIONS_PER_SECOND_MAX = 1000;
    /// Of one sandbox at once whose requests are looked at: each has two threads and about 100 KiB for TLS.
    public static final int EGRESS_INSPECTED_MAX = 64;
    /// The same of all sandboxes.
    public static final int EGRESS_INSPECTED_ALL_MAX = 512;
    /// For the first bytes of a connection, until its name is known: slower ones are up to no good.
    public static final Duration EGRESS_HANDSHAKE_MAX = Duration.ofSeconds(10);
    /// How long a connection that is open whatever it shows is looked at for a name, for the record.
    public static final Duration EGRESS_GLANCE = Duration.ofMillis(200);
    /// A TLS ClientHello; the largest in use, with keys against quantum computers, have 2 KiB.
    public static final int EGRESS_CLIENT_HELLO_BYTES_MAX = 16 * 1024;
    /// The head of one HTTP request.
    public static final int EGRESS_REQUEST_HEAD_BYTES_MAX = 32 * 1024;

    /// First bytes and heads of all sandboxes' connections, until it is known where these go.
    public static final long EGRESS_FIRST_BYTES_ALL_MAX = 32 * MIB;

    public static final int EGRESS_REQUEST_FIELDS_MAX = 128;
    /// For a guest whose requests are looked at, to read the end of an answer and to close; and for either side of a
    /// connection, to take what came before the other broke off.
    public static final Duration EGRESS_LINGER_MAX = Duration.ofSeconds(2);
    /// From the server to the destination.
    public static final Duration EGRESS_CONNECT_MAX = Duration.ofSeconds(10);
    /// A connection without a byte in either direction ends.
    public static final Duration EGRESS_IDLE_MAX = Duration.ofMinutes(30);
    /// What a guest that does not read makes the server hold, all its connections together; beyond it each may hold
    /// another 4 KiB.
    public static final long EGRESS_HELD_BYTES_MAX = 4 * MIB;
    /// The same of all sandboxes.
    public static final long EGRESS_HELD_BYTES_ALL_MAX = 128 * MIB;
    /// Look-ups of one sandbox, per second; a burst may be four times that.
    public static final int EGRESS_DNS_PER_SECOND = 50;
    /// Look-ups of one sandbox that wait for an answer.
    public static final int EGRESS_DNS_WAITING_MAX = 64;
    /// The same of all sandboxes, each a socket of the server.
    public static final int EGRESS_LOOK_UPS_ALL_MAX = 1024;
    /// One part of a name below a star, which a guest could fill with words for whoever runs the name's servers.
    public static final int EGRESS_DNS_LABEL_CHARS_MAX = 40;
    /// Parts of a name below a star.
    public static final int EGRESS_DNS_LABELS_MAX = 3;
    /// Names whose addresses a sandbox is known to have; the one that was used least goes.
    public static final int EGRESS_NAMES_MAX = 1024;
    /// Addresses of one name that a sandbox may connect to; the oldest goes.
    public static final int EGRESS_ADDRESSES_PER_NAME_MAX = 64;
    /// How long a guest may go on with an answer before it asks again.
    public static final Duration EGRESS_DNS_TTL_MAX = Duration.ofMinutes(5);
    /// For one question to the servers of the host, before the next one is asked.
    public static final Duration EGRESS_DNS_WAIT_MAX = Duration.ofSeconds(2);
    /// Conversations of one UDP rule at once, each a socket of the server.
    public static final int EGRESS_UDP_FLOWS_MAX = 64;
    /// UDP rules of all sandboxes and their conversations, or a twelfth of the files that the server may open.
    public static final int EGRESS_UDP_SOCKETS_ALL_MAX = 4096;
    /// A datagram; longer ones, which the internet hardly carries, are dropped.
    public static final int EGRESS_UDP_BYTES_MAX = 9 * 1024;

    public static final Duration EGRESS_UDP_IDLE_MAX = Duration.ofSeconds(60);
    /// Different refusals that are counted at once for one sandbox; further ones are counted together.
    public static final int EGRESS_REPEATS_MAX = 256;
    /// The same refusal again within this time is counted instead of written.
    public static final Duration EGRESS_REPEAT_WINDOW = Duration.ofSeconds(10);
    /// Records of networks that wait to be written; beyond it they are counted instead.
    public static final int EGRESS_RECORDS_WAITING_MAX = 16 * 1024;
    /// Ended sandboxes whose tenants are known for records that come late.
    public static final int EGRESS_ENDED_REMEMBERED_MAX = 4096;
    /// Connections at once of a sandbox in a cell: each may hold 512 KiB on its way.
    public static final int CELL_CONNECTIONS_MAX = 64;
    /// Of a host that a connection is asked for: a name has 253.
    public static final int HOST_CHARS_MAX = 300;
    /// The list of authorities that a cell is given: that of Debian is 220 KiB.
    public static final int TRUST_BYTES_MAX = 2 * 1024 * 1024;
    /// Of a request of `fetch`, and of an answer to it; servers refuse longer ones, too.
    public static final int FETCH_HEAD_BYTES_MAX = 64 * 1024;
    /// Requests of `fetch` at once, of one interpreter.
    public static final int FETCHES_MAX = 32;

    /// Connections of clients to one listener, or a sixth of the files that the server may open, if that is less: a
    /// listener that finds none left ends for good. An idle one costs about 20 KiB.
    public static final int SERVER_CONNECTIONS_MAX = 8000;

    // ---- templates

    /// One step of a template's build, such as fetching all its packages; measured 80 s for the longest.
    public static final Duration TEMPLATE_STEP_MAX = Duration.ofMinutes(30);
    /// The end of what a step said, kept for the error that tells why it failed.
    public static final int TEMPLATE_OUTPUT_BYTES_MAX = 16 * 1024;

    // ---- audit

    /// A segment of the audit log; a new one begins when the old one is this large.
    public static final long AUDIT_SEGMENT_BYTES_MAX = 64 * MIB;
    /// One record; longer texts in it are cut and marked.
    public static final int AUDIT_RECORD_BYTES_MAX = 16 * 1024;
}
