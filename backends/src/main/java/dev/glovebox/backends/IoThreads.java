package dev.glovebox.backends;

/// What kind of thread waits for an agent. A server has thousands that wait: virtual ones. A process that ends after
/// one run has a handful: platform ones, because the thread that polls for virtual ones sits in native code for ever,
/// and the JVM waits 300 ms for such a thread when it exits.
enum IoThreads {
    VIRTUAL,
    PLATFORM;

    Thread start(String name, Runnable task) {
        return switch (this) {
            case VIRTUAL -> Thread.ofVirtual().name(name).start(task);
            case PLATFORM -> Thread.ofPlatform().daemon().name(name).start(task);
        };
    }
}
