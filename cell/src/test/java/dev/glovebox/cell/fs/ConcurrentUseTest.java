package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertQuotaExact;
import static dev.glovebox.cell.fs.FileSystems.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.GuestPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/// A guest and several host requests at once on the same few names, with a quota that is often used up.
class ConcurrentUseTest {
    private static final int STEPS = 3000;

    private final MemoryFileSystem files = FileSystems.withBounds(40_000, 20);
    private final HostFiles host = new HostFiles(files);

    @Test
    void staysConsistentWhileAGuestRacesWithTheHost() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> results = new ArrayList<>();
            results.add(threads.submit(() -> repeat(1, this::guestStep)));
            results.add(threads.submit(() -> repeat(2, this::guestStep)));
            results.add(threads.submit(() -> repeat(3, this::hostStep)));
            results.add(threads.submit(() -> repeat(4, this::hostStep)));
            for (Future<?> result : results) {
                result.get();
            }
        }
        assertQuotaExact(files, List.of());
        assertThat(files.usedBytes()).isLessThanOrEqualTo(40_000);
        assertThat(files.usedFiles()).isLessThanOrEqualTo(20);
    }

    private interface Step {
        void run(Random random, String name, String other);
    }

    private static void repeat(long seed, Step step) {
        Random random = new Random(seed);
        for (int i = 0; i < STEPS; i++) {
            try {
                step.run(random, name(random), name(random));
            } catch (FsError _) {
                // Which of them fail is up to the race; that nothing else is thrown is the point.
            }
        }
    }

    private static String name(Random random) {
        String first = "" + (char) ('a' + random.nextInt(3));
        return random.nextBoolean() ? first : first + "/" + (char) ('a' + random.nextInt(3));
    }

    private void guestStep(Random random, String name, String other) {
        try (Guest guest = new Guest(files)) {
            switch (random.nextInt(6)) {
                case 0 -> guest.mkdir(name);
                case 1 -> guest.write(name, "x".repeat(random.nextInt(20_000)));
                case 2 -> guest.rename(name, other);
                case 3 -> guest.unlink(name);
                case 4 -> guest.symlink(other, name);
                default -> {
                    try (FileHandle handle = guest.open(name)) {
                        guest.unlink(name);
                        handle.write(0, utf8("to a file that is gone"));
                    }
                }
            }
        }
    }

    private void hostStep(Random random, String name, String other) {
        GuestPath path = new GuestPath("/" + name);
        switch (random.nextInt(5)) {
            case 0 -> host.write(path, utf8("y".repeat(random.nextInt(20_000))), WriteOptions.DEFAULT);
            case 1 -> host.remove(path, true);
            case 2 -> host.list(GuestPath.ROOT, 5, _ -> {});
            case 3 -> host.move(path, new GuestPath("/" + other));
            default -> host.read(path, 100_000);
        }
    }
}
