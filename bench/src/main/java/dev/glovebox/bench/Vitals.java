package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What a server and its cells hold, looked at from outside.
final class Vitals {
    private static final double MIB = 1024.0 * 1024;

    private final Product product;
    private final long begun = System.nanoTime();

    Vitals(Product product) {
        this.product = product;
    }

    /// What is looked at, and how much more of it after a soak is no leak.
    enum Quantity {
        /// A tenant's cell may have died just before, and comes back only when it is needed.
        PROCESSES("processes", 2),
        /// Carriers and guests' threads idle on for some seconds; a cell more has about 30.
        THREADS("threads", 70),
        SERVER_DESCRIPTORS("server descriptors", 16),
        CELL_DESCRIPTORS("cell descriptors", 60),
        /// A heap that has grown between two collections gives nothing back; it has 768 MiB at most.
        SERVER_RSS("server RSS MiB", 300),
        /// After a collection; connections and caches of ours come and go.
        SERVER_HEAP("server heap MiB", 8),
        /// Each cell's Java heap and V8's heaps move; a cell more holds about 100.
        CELL_RSS("cells RSS MiB", 200);

        private final String words;
        private final double tolerance;

        Quantity(String words, double tolerance) {
            this.words = words;
            this.tolerance = tolerance;
        }

        String words() {
            return words;
        }

        double tolerance() {
            return tolerance;
        }
    }

    /// All quantities at one moment.
    record Sample(double seconds, Map<Quantity, Double> values) {
        Sample {
            values = Map.copyOf(values);
        }

        double of(Quantity quantity) {
            return values.getOrDefault(quantity, 0.0);
        }

        String text() {
            StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%5.0f s:", seconds));
            for (Quantity quantity : Quantity.values()) {
                text.append(' ')
                        .append(quantity.words())
                        .append(' ')
                        .append(Figure.number(of(quantity)))
                        .append(',');
            }
            text.setLength(text.length() - 1);
            return text.toString();
        }
    }

    /// As [#take()], after the server has thrown away what it does not need. A cell lets nobody ask it to.
    Sample takeCollected() {
        Commands.collectGarbage(product.pid());
        return take();
    }

    Sample take() {
        List<Long> cells = product.cells();
        Map<Quantity, Double> values = new EnumMap<>(Quantity.class);
        values.put(Quantity.PROCESSES, 1.0 + cells.size());
        double threads = Processes.tasks(product.pid()).size();
        double descriptors = 0;
        for (long cell : cells) {
            threads += Processes.tasks(cell).size();
            descriptors += Processes.descriptors(cell);
        }
        values.put(Quantity.THREADS, threads);
        values.put(Quantity.SERVER_DESCRIPTORS, (double) Processes.descriptors(product.pid()));
        values.put(Quantity.CELL_DESCRIPTORS, descriptors);
        values.put(Quantity.SERVER_RSS, Processes.memory(product.pid()).residentBytes() / MIB);
        values.put(Quantity.SERVER_HEAP, heap() / MIB);
        values.put(Quantity.CELL_RSS, Processes.memory(cells).residentBytes() / MIB);
        return new Sample((System.nanoTime() - begun) / 1e9, values);
    }

    /// Insists that everything a tenant has made is over.
    void expectNoSandboxes(List<Glovebox> clients) {
        for (Glovebox client : clients) {
            int left = client.sandboxes().all(Map.of()).size();
            if (left > 0) {
                throw new BenchException(left + " sandboxes have outlived their leases");
            }
        }
    }

    /// Bytes of the server's Java heap in use, as its own metrics say.
    private double heap() {
        return metrics()
                .lines()
                .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private String metrics() {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    product.address().resolve("/metrics").toURL().openConnection();
            connection.setRequestProperty("Authorization", "Bearer " + product.key());
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new BenchException("the server shows no metrics: " + e.getMessage(), e);
        }
    }
}
