/* What the server asks for: one sandbox, as a line of key=value fields. The strings point into the line. */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum { SPEC_ARGUMENTS_MAX = 128, SPEC_BINDS_MAX = 32 };

/* JAIL: the agent is the first process. COMMAND: beside which a guest runs, or which holds it itself. ZYGOTE: no sandbox,
 * but what forks warm kernels into jails. */
typedef enum { KIND_COMMAND, KIND_JAIL, KIND_ZYGOTE } sandbox_kind;

/* How the root file system of a sandbox comes to be. */
typedef enum { ROOT_TEMPLATE, ROOT_BINDS } root_kind;

typedef struct {
    const char *id;        /* [a-z0-9-], names its cgroup and directory */
    sandbox_kind kind;
    root_kind root;
    const char *template;  /* erofs image, or a directory */
    const char *zygote;    /* the id of the one that gives this jail a warm kernel */
    const char *binds[SPEC_BINDS_MAX + 1];     /* paths shown read-only at the same place */
    const char *arguments[SPEC_ARGUMENTS_MAX + 1];
    const char *environment[SPEC_ARGUMENTS_MAX + 1];
    const char *socket;    /* the server's socket for this sandbox's agent */
    const char *greeting;  /* hexadecimal: written to the server's socket before the agent gets it */
    const char *input;     /* hexadecimal: first bytes of standard input, which then stays open (no greeting) */
    const char *hostname;
    const char *config;    /* content of config.json beside a command (OCI) */
    const char *image;     /* an empty file system: the writable layer is a copy of it on disk; else it is memory */
    int64_t memory_bytes;  /* 0: no limit, as for all others */
    int64_t meminfo;       /* what /proc/meminfo shows to a command beside whose kernel the guest runs */
    int64_t cpu_millis;    /* processor time per second, in thousandths of a processor */
    int64_t pids;
    int64_t disk_bytes;    /* of a layer in memory */
    int64_t inodes;
    int64_t io_bytes;      /* from and to the disk, each per second */
    int64_t io_operations;
    int64_t open_files;
    int64_t network;       /* 1: what it sends arrives at the server; 0: there is nothing but its loopback */
} sandbox_spec;

/* Parses the fields after verb and id, in place; complete: whether they describe a sandbox and not only limits.
 * Returns NULL, or what is wrong in words. */
const char *spec_parse(char *fields, sandbox_spec *spec, bool complete);
/* Decodes hexadecimal in place; returns the number of bytes or -1. */
int64_t unhex(char *text);

#endif
