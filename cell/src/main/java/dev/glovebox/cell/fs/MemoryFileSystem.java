package dev.glovebox.cell.fs;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.ResourceLimits;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// The files of one sandbox, all in the heap of this process: no path of the host is behind any of them.
/// Thread-safe: the guest and any number of host requests ([HostFiles]) may work on it at once, and each
/// operation is atomic.
///
/// This class has the operations of a guest, with the semantics of POSIX; a failure is an [FsError]. There are no
/// users: permission bits are kept and shown, and nothing is denied by them. A new sandbox has `/home/user`,
/// `/tmp`, `/lib` and four devices in `/dev`; these cannot be removed and cost no quota.
///
/// One lock guards everything. It is fair, so that a guest that calls in a loop cannot keep a host request
/// waiting, and the work under it is bounded by the file count, or by the size of the one buffer that is copied.
public final class MemoryFileSystem {
    static final int DIRECTORY_MODE = 0755;
    static final int FILE_MODE = 0644;
    static final int MODE_MASK = 07777;

    private final ReentrantLock lock = new ReentrantLock(true);
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Quota quota;
    private final Directory root;
    private long nextId = 1;

    /// A file system that shares its heap with nobody.
    ///
    /// @param random feeds `/dev/urandom`; cryptographically strong
    public MemoryFileSystem(ResourceLimits limits, InstantSource clock, RandomGenerator random) {
        this(limits, clock, random, new Budget(Long.MAX_VALUE));
    }

    /// A file system among others.
    ///
    /// @param random feeds `/dev/urandom`; cryptographically strong
    /// @param budget what all of them may hold together
    public MemoryFileSystem(ResourceLimits limits, InstantSource clock, RandomGenerator random, Budget budget) {
        this.clock = clock;
        this.random = random;
        quota = new Quota(limits.diskBytes(), limits.fileCount(), budget);
        root = new Directory(nextId(), DIRECTORY_MODE, nowNanos());
        root.links = 1;
        root.fixed = true;
        for (String path : List.of("/home/user", "/tmp", "/lib", "/dev")) {
            makeFixedDirectory(path);
        }
        addFixed(new GuestPath("/dev/null"), new Node.Device(nextId(), nowNanos(), Node.Device.Kind.NULL));
        addFixed(new GuestPath("/dev/zero"), new Node.Device(nextId(), nowNanos(), Node.Device.Kind.ZERO));
        addFixed(new GuestPath("/dev/random"), new Node.Device(nextId(), nowNanos(), Node.Device.Kind.RANDOM));
        addFixed(new GuestPath("/dev/urandom"), new Node.Device(nextId(), nowNanos(), Node.Device.Kind.RANDOM));
    }

    /// Shows `content` as a file that the guest can only read. It is shared, not copied, and costs no quota; its
    /// parent directories are made and become part of the sandbox's skeleton. The bytes must never change
    /// afterwards.
    public void mountReadOnly(GuestPath path, ByteBuffer content) {
        runLocked(() -> addFixed(
                path, new Node.Shared(nextId(), nowNanos(), content.slice().asReadOnlyBuffer())));
    }

    /// Sets new bounds, when a sandbox that stood ready gets its owner. What is there stays, even if it is more.
    public void limit(ResourceLimits limits) {
        runLocked(() -> quota.limit(limits.diskBytes(), limits.fileCount()));
    }

    /// Gives what the files hold back to the budget, when the sandbox ends; nothing can be written from then on.
    public void release() {
        runLocked(quota::release);
    }

    /// Bytes that count against [ResourceLimits#diskBytes()]: allocated chunks of files and targets of links.
    public long usedBytes() {
        return locked(quota::bytesUsed);
    }

    /// Directory entries, and removed files that are still open, that count against [ResourceLimits#fileCount()].
    public int usedFiles() {
        return locked(quota::filesUsed);
    }

    /// A handle on `/`, where every path of a guest begins.
    public FileHandle openRoot() {
        return locked(() -> new FileHandle(this, root));
    }

    public FileHandle open(PathAt at, OpenOptions options) {
        return locked(() -> {
            boolean follow = at.follow() && !(options.create() && options.exclusive());
            return open(PathWalk.below(root, at.directory().directory(), at.path(), follow), options);
        });
    }

    public void createDirectory(PathAt at) {
        runLocked(() -> {
            Location location = find(at, false);
            requireFree(location);
            makeDirectory(location);
        });
    }

    /// Removes a name of anything but a directory. The file itself stays while handles or other names hold it.
    public void unlink(PathAt at) {
        runLocked(() -> {
            Location location = find(at, false);
            if (location.require() instanceof Directory) {
                throw new FsError(Errno.ISDIR);
            }
            location.requireRemovable();
            detach(location);
        });
    }

    /// Removes an empty directory.
    public void removeDirectory(PathAt at) {
        runLocked(() -> {
            Location location = find(at, false);
            if (!(location.require() instanceof Directory directory)) {
                throw new FsError(Errno.NOTDIR);
            }
            location.requireRemovable();
            requireEmpty(directory);
            detach(location);
        });
    }

    /// Moves a file or directory, and replaces what is at the new place if the two are of one kind.
    public void rename(PathAt from, PathAt to) {
        runLocked(() -> rename(find(from, false), find(to, false)));
    }

    /// Gives a regular file one more name.
    public void link(PathAt existing, PathAt added) {
        runLocked(() -> {
            if (!(find(existing, existing.follow()).require() instanceof Node.Regular regular)) {
                throw new FsError(Errno.PERM, "operation not permitted: only a regular file can get a second name");
            }
            Location location = find(added, false);
            requireFree(location);
            requireFileName(location);
            attach(location, regular);
        });
    }

    /// Makes a symbolic link. Its target need not exist, and is only ever resolved inside the sandbox.
    public void symlink(String target, PathAt at) {
        runLocked(() -> {
            if (target.isEmpty()) {
                throw new FsError(Errno.NOENT, "no such file or directory: the target of the link is empty");
            }
            PathWalk.checkLength(target);
            Location location = find(at, false);
            requireFree(location);
            requireFileName(location);
            Node.Link link = new Node.Link(nextId(), nowNanos(), target, quota);
            try {
                attach(location, link);
            } catch (FsError refused) {
                link.discard();
                throw refused;
            }
        });
    }

    public String readLink(PathAt at) {
        return locked(() -> {
            if (find(at, false).require() instanceof Node.Link link) {
                return link.target;
            }
            throw new FsError(Errno.INVAL, "invalid argument: not a symbolic link");
        });
    }

    public Attributes stat(PathAt at) {
        return locked(() -> find(at, at.follow()).require().attributes());
    }

    public void setTimes(PathAt at, Times times) {
        runLocked(() -> setTimes(find(at, at.follow()).require(), times));
    }

    // What follows is for the classes of this package. The lock is held, except where a comment says otherwise.

    /// Runs one operation under the lock. Nested calls are allowed.
    <T> T locked(Supplier<T> operation) {
        lock.lock();
        try {
            return operation.get();
        } finally {
            lock.unlock();
        }
    }

    void runLocked(Runnable operation) {
        lock.lock();
        try {
            operation.run();
        } finally {
            lock.unlock();
        }
    }

    /// Any thread, with or without the lock.
    RandomGenerator random() {
        return random;
    }

    /// Milliseconds, because the times of files must not be a finer clock than the guest's own.
    long nowNanos() {
        return clock.millis() * 1_000_000;
    }

    Location fromRoot(String path, boolean follow) {
        return PathWalk.fromRoot(root, path, follow);
    }

    FileHandle open(Location location, OpenOptions options) {
        Node node = location.node();
        if (node == null) {
            if (!options.create()) {
                throw new FsError(Errno.NOENT);
            }
            if (options.directory() || location.mustBeDirectory()) {
                throw new FsError(Errno.ISDIR, "is a directory: opening a path does not make a directory");
            }
            return new FileHandle(this, attach(location, newFile()));
        }
        if (options.create() && options.exclusive()) {
            throw new FsError(Errno.EXIST);
        }
        boolean changes = options.truncate() || (options.write() && !options.directory());
        switch (node) {
            case Directory _ -> {
                if (changes || options.create()) {
                    throw new FsError(Errno.ISDIR);
                }
            }
            case Node.Link _ -> throw new FsError(Errno.LOOP, "too many levels of symbolic links: not followed");
            case Node.Shared shared -> {
                if (changes) {
                    Location.refuseFixed(shared);
                }
                requireNotDirectory(options);
            }
            case Node.Device _ -> requireNotDirectory(options);
            case Node.Regular regular -> {
                requireNotDirectory(options);
                if (options.truncate()) {
                    regular.content.resize(0);
                    regular.modifiedNanos = nowNanos();
                }
            }
        }
        return new FileHandle(this, node);
    }

    Node.Regular newFile() {
        return new Node.Regular(nextId(), FILE_MODE, nowNanos(), quota);
    }

    /// A file that has no name yet, but an owner, and that counts.
    FileHandle openNameless(Node.Regular file) {
        quota.takeFile();
        file.countedWithoutName = true;
        return new FileHandle(this, file);
    }

    Directory makeDirectory(Location location) {
        return attach(location, new Directory(nextId(), DIRECTORY_MODE, nowNanos()));
    }

    /// Gives `node` the free name of `location`.
    <N extends Node> N attach(Location location, N node) {
        location.parent().checkRoomFor(location.name(), node);
        if (node.countedWithoutName) {
            node.countedWithoutName = false;
        } else if (!node.fixed) {
            quota.takeFile();
        }
        node.links++;
        node.changedNanos = nowNanos();
        location.parent().add(location.name(), node, node.changedNanos);
        return node;
    }

    /// Takes the name of `location` away from what is there, which ends if nothing else holds it.
    Node detach(Location location) {
        Node node = location.require();
        location.parent().remove(location.name(), nowNanos());
        node.links--;
        node.changedNanos = nowNanos();
        if (node.links == 0 && node.handles > 0) {
            node.countedWithoutName = true;
            return node;
        }
        quota.giveFile();
        if (node.links == 0) {
            node.discard();
        }
        return node;
    }

    /// Detaches a directory and everything below it. Without recursion, although the depth is bounded, so that
    /// the bound need not be one that the stack can bear.
    void detachTree(Location top) {
        Deque<Directory> pending = new ArrayDeque<>();
        if (detach(top) instanceof Directory directory) {
            pending.push(directory);
        }
        while (!pending.isEmpty()) {
            Directory directory = pending.pop();
            for (Directory.Entry entry : List.copyOf(directory.entries())) {
                if (entry.node() instanceof Directory child) {
                    pending.push(child);
                }
                detach(new Location(directory, entry.name(), entry.node(), false));
            }
        }
    }

    Node rename(Location from, Location to) {
        Node node = from.requireRemovable();
        Node replaced = to.node() == null ? null : to.requireRemovable();
        if (replaced instanceof Directory above && from.parent().isInside(above)) {
            throw new FsError(Errno.NOTEMPTY);
        }
        if (node instanceof Directory directory) {
            if (to.parent().isInside(directory)) {
                throw new FsError(Errno.INVAL, "invalid argument: a directory cannot move into itself");
            }
            if (replaced != null && !(replaced instanceof Directory)) {
                throw new FsError(Errno.NOTDIR);
            }
        } else if (replaced instanceof Directory) {
            throw new FsError(Errno.ISDIR);
        } else if (to.mustBeDirectory()) {
            throw new FsError(Errno.NOTDIR);
        }
        if (replaced == node) {
            return node;
        }
        if (replaced instanceof Directory directory) {
            requireEmpty(directory);
        }
        to.parent().checkRoomFor(to.name(), node);
        if (replaced != null) {
            detach(to);
        }
        long now = nowNanos();
        from.parent().remove(from.name(), now);
        to.parent().add(to.name(), node, now);
        node.changedNanos = now;
        return node;
    }

    /// One handle on `node` less.
    void release(Node node) {
        node.handles--;
        if (node.handles == 0 && node.countedWithoutName) {
            node.countedWithoutName = false;
            quota.giveFile();
            node.discard();
        }
    }

    void setTimes(Node node, Times times) {
        if (node.fixed && !(node instanceof Directory)) {
            Location.refuseFixed(node);
        }
        long now = nowNanos();
        node.accessedNanos = chosen(times.accessedNanos(), node.accessedNanos, now);
        node.modifiedNanos = chosen(times.modifiedNanos(), node.modifiedNanos, now);
        node.changedNanos = now;
    }

    private static long chosen(long wanted, long present, long now) {
        if (wanted == Times.KEEP) {
            return present;
        }
        return wanted == Times.NOW ? now : wanted;
    }

    private Location find(PathAt at, boolean follow) {
        return PathWalk.below(root, at.directory().directory(), at.path(), follow);
    }

    private long nextId() {
        return nextId++;
    }

    private void addFixed(GuestPath path, Node node) {
        String value = path.value();
        makeFixedDirectory(value.substring(0, value.lastIndexOf('/')));
        Location location = fromRoot(value, false);
        requireFree(location);
        attach(location, node);
    }

    private void makeFixedDirectory(String path) {
        for (String step : GuestNames.steps(path)) {
            Location location = fromRoot(step, true);
            Node node = location.node();
            if (node == null) {
                Directory directory = new Directory(nextId(), DIRECTORY_MODE, nowNanos());
                directory.fixed = true;
                attach(location, directory);
            } else if (node instanceof Directory && !node.fixed) {
                node.fixed = true;
                quota.giveFile();
            }
        }
    }

    private static void requireFree(Location location) {
        if (location.node() != null) {
            throw new FsError(Errno.EXIST);
        }
    }

    private static void requireFileName(Location location) {
        if (location.mustBeDirectory()) {
            throw new FsError(Errno.NOENT, "no such file or directory: the path ends in a slash");
        }
    }

    private static void requireEmpty(Directory directory) {
        if (!directory.isEmpty()) {
            throw new FsError(Errno.NOTEMPTY);
        }
    }

    private static void requireNotDirectory(OpenOptions options) {
        if (options.directory()) {
            throw new FsError(Errno.NOTDIR);
        }
    }
}
