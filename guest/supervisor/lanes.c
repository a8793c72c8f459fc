#include "lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Protocol.LANE_BYTES in each direction. */
enum { LANES_BYTES = 8 * 1024 * 1024 };

int lanes_make(lanes *made) {
    struct stat stat;
    made->fd = memfd_create("glovebox-lanes", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made->fd >= 0 && ftruncate(made->fd, LANES_BYTES) == 0 &&
        fcntl(made->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 && fstat(made->fd, &stat) == 0) {
        made->ino = stat.st_ino;
        return 0;
    }
    int failure = errno;
    lanes_end(made);
    errno = failure;
    return -1;
}

void lanes_end(lanes *made) {
    if (made->fd >= 0) {
        close(made->fd);
        made->fd = -1;
    }
}
