/* The system calls that a workload may make, as a seccomp program. */
#ifndef FILTER_H
#define FILTER_H

/* A descriptor of a file in memory that holds the program; -1 and errno. */
int filter_make(void);

#endif
