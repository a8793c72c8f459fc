#include "pty.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_MAX_CELLS = 4096 };

static int open_slave(int master) {
    int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    unsigned number = 0;
    if (slave < 0 && ioctl(master, TIOCGPTN, &number) == 0) {
        char path[32];
        snprintf(path, sizeof path, "/dev/pts/%u", number);
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    return slave;
}

bool pty_open(unsigned columns, unsigned rows, uid_t owner, int *master, int *slave) {
    *slave = -1;
    *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    int unlocked = 0;
    if (*master >= 0 && ioctl(*master, TIOCSPTLCK, &unlocked) == 0) {
        *slave = open_slave(*master);
    }
    if (*slave < 0) {
        if (*master >= 0) {
            close(*master);
            *master = -1;
        }
        return false;
    }
    pty_resize(*master, columns, rows);
    // As a login would: the user may open its own terminal. Where ids are not mapped it stays root's.
    if (fchown(*slave, owner, (gid_t)-1) < 0 || fchmod(*slave, 0600) < 0) {
        return true;
    }
    return true;
}

void pty_resize(int master, unsigned columns, unsigned rows) {
    struct winsize size = {
        .ws_col = (unsigned short)(columns < SIZE_MAX_CELLS ? columns : SIZE_MAX_CELLS),
        .ws_row = (unsigned short)(rows < SIZE_MAX_CELLS ? rows : SIZE_MAX_CELLS),
    };
    ioctl(master, TIOCSWINSZ, &size);
}

pid_t pty_foreground(int master) {
    pid_t group = 0;
    return ioctl(master, TIOCGPGRP, &group) == 0 && group > 0 ? group : 0;
}
