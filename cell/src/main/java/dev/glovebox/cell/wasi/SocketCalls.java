package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;

/// `sock_*`: a guest has no network and no descriptor is ever a socket.
final class SocketCalls {
    private final DescriptorTable descriptors;

    SocketCalls(DescriptorTable descriptors) {
        this.descriptors = descriptors;
    }

    void refuse(int fd) {
        descriptors.get(fd);
        throw new FsError(Errno.NOTSOCK);
    }
}
