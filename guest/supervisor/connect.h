/* The stream to the server, connected by the supervisor on the agent's behalf: inside a sandbox there is neither a
 * path to the socket nor the token that proves who it is. */
#ifndef CONNECT_H
#define CONNECT_H

/* Connects; a descriptor, or -1 and errno. */
int connect_agent(const char *socket_path);
/* Writes first bytes given in hexadecimal. */
int connect_write(int fd, const char *hex);
/* A pipe with these first bytes in it: the read end in *read_end; the write end must stay open while the reader is to
 * live. 0, or -1 and errno. */
int open_input(const char *input_hex, int *read_end, int *write_end);

#endif
