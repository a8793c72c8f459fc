package dev.glovebox.bench;

import dev.glovebox.wire.api.TierResponse;
import java.util.List;
import java.util.Optional;

/// The tiers of Linux sandboxes: start, round trip, files, output, end, and a burst, beside the same root file
/// system with nothing of the product around it.
final class LinuxSection implements Section {
    private static final int FLOOR_TIMES = 100;

    @Override
    public String name() {
        return "linux";
    }

    @Override
    public String title() {
        return "the tiers jail and gvisor, one client unless it says otherwise: median";
    }

    /// A part of the section.
    @FunctionalInterface
    private interface Part {
        void measure() throws InterruptedException;
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        String missing = Linux.missing(lab.distribution());
        if (!missing.isEmpty()) {
            sheet.note("left out: " + missing);
            return;
        }
        Linux here = Linux.find(lab.distribution());
        try (Product product = Product.start(lab.distribution(), Product.Setting.linux(here.templates()))) {
            Samples floor = Stopwatch.repeat(lab.times(FLOOR_TIMES), product.client()::isReady);
            sheet.add("HTTP alone (GET /readyz)", Figure.median(floor), null, null);
            Samples flush = Disk.flushes(product.home(), lab.times(FLOOR_TIMES));
            sheet.add("the disk alone (one record flushed)", Figure.median(flush), null, null);
            for (LinuxTarget tier : LinuxTarget.ALL) {
                Optional<String> lacking = lacking(product, here, tier.word());
                if (lacking.isPresent()) {
                    sheet.note(tier.word() + " is left out: " + lacking.get());
                } else {
                    measure(new LinuxCase(lab, product, here, tier, sheet));
                }
            }
        }
    }

    /// Why a tier does not work here, if it does not.
    static Optional<String> lacking(Product product, Linux here, String tier) {
        if (tier.equals("gvisor") && here.runsc().isEmpty()) {
            return Optional.of("there is no runsc on this machine");
        }
        return product.client().tiers().stream()
                .filter(each -> each.tier().equals(tier) && !each.available())
                .map(TierResponse::why)
                .findFirst();
    }

    private static void measure(LinuxCase one) throws InterruptedException {
        LinuxStarts starts = new LinuxStarts(one);
        LinuxStreams streams = new LinuxStreams(one);
        LinuxEnds ends = new LinuxEnds(one);
        // First, while no sandbox has been made that would have changed what the pool holds.
        part(one, "pooled", starts::pooled);
        part(one, "fresh", starts::fresh);
        part(one, "command", starts::command);
        part(one, "files", new LinuxFiles(one)::measure);
        part(one, "output", streams::output);
        part(one, "kill", ends::kill);
        part(one, "burst", ends::burst);
    }

    /// One that fails does not take the others with it.
    private static void part(LinuxCase one, String name, Part part) throws InterruptedException {
        try {
            Guests.awaitQuiet(one.product());
            part.measure();
        } catch (RuntimeException e) {
            one.sheet().failure(one.word() + ", " + name + ": " + e.getMessage());
            List<String> words = one.product().lastWords();
            words.forEach(line -> one.sheet().note("the server said: " + line));
        }
    }
}
