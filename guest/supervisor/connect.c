#include "connect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "spec.h"
#include "sys.h"

enum {
    FIRST_BYTES_MAX = 4096,
    /* What an agent sends at once when it sends a file; the kernel takes less if it must. */
    SEND_BYTES = 1024 * 1024,
};

/* Both kinds of first bytes are shorter than any buffer in the kernel, so that writing them never waits. */
int connect_write(int fd, const char *hex) {
    char bytes[2 * FIRST_BYTES_MAX + 1];
    if (strlen(hex) >= sizeof bytes) {
        errno = EMSGSIZE;
        return -1;
    }
    strcpy(bytes, hex);
    int64_t length = unhex(bytes);
    if (length < 0) {
        errno = EINVAL;
        return -1;
    }
    return write_all(fd, bytes, (size_t)length);
}

int connect_agent(const char *socket_path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(socket_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    int room = SEND_BYTES;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int failure = errno;
        close(fd);
        errno = failure;
        return -1;
    }
    return fd;
}

int open_input(const char *input_hex, int *read_end, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    if (connect_write(ends[1], input_hex) != 0) {
        int failure = errno;
        close(ends[0]);
        close(ends[1]);
        errno = failure;
        return -1;
    }
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}
