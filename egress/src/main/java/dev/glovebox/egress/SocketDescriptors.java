package dev.glovebox.egress;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/// The file descriptors of the JDK's sockets, where this process was started with
/// `--add-exports java.base/sun.nio.ch=ALL-UNNAMED`: the JDK keeps them to itself, and what needs them has to do
/// without
/// otherwise. Thread-safe.
final class SocketDescriptors {
    private static final Optional<Method> GETTER = getter();

    private SocketDescriptors() {}

    private static Optional<Method> getter() {
        try {
            Method method = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
            return method.canAccess(SocketChannel.open()) ? Optional.of(method) : Optional.empty();
        } catch (ReflectiveOperationException | java.io.IOException | RuntimeException _) {
            return Optional.empty();
        }
    }

    /// The descriptor, or -1 if it is not told. It is the socket's for as long as the socket is not closed: only the
    /// thread that closes it may use it.
    static int of(SocketChannel channel) {
        if (GETTER.isEmpty()) {
            return -1;
        }
        try {
            return (int) GETTER.get().invoke(channel);
        } catch (IllegalAccessException | InvocationTargetException _) {
            return -1;
        }
    }
}
