package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.RunResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Memory bombs, one after the other: what they leave in the server and in the cells.
final class BombSection implements Section {
    private static final int BOMBS = 1000;
    private static final int WARM_UP = 50;
    private static final long LIMIT_MIB = 64;
    private static final long WALL_MILLIS = 20_000;
    private static final double MIB = 1024.0 * 1024;
    private static final long SETTLE_MILLIS = 2000;
    /// A Java heap moves by this much without anything being kept.
    private static final double SERVER_GROWTH_MAX = 32;

    private record Bomb(String what, String tier, String language, String code) {}

    private static final List<Bomb> KINDS = List.of(
            new Bomb(
                    "wasm python, a list that grows",
                    "wasm",
                    "python",
                    "x = []\nwhile True: x.append(bytearray(2**20))"),
            new Bomb("wasm python, one huge allocation", "wasm", "python", "x = bytearray(2**31 - 2**20)"),
            new Bomb(
                    "isolate javascript, arrays",
                    "isolate",
                    "javascript",
                    "const a = []; for (;;) a.push(new Array(1e5).fill(1.5))"),
            new Bomb(
                    "isolate javascript, buffers",
                    "isolate",
                    "javascript",
                    "const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))"));

    @Override
    public String name() {
        return "bombs";
    }

    @Override
    public String title() {
        return "memory bombs in sequence, limit " + LIMIT_MIB + " MiB: growth in MiB of RSS";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        Product product = lab.freshProduct();
        int bombs = lab.times(BOMBS);
        drop(product.client(), WARM_UP);
        Thread.sleep(SETTLE_MILLIS);
        long serverBefore = Processes.memory(product.pid()).residentBytes();
        long cellsBefore = Processes.memory(product.cells()).residentBytes();
        Set<Long> seen = new HashSet<>(product.cells());
        int cellsAtFirst = seen.size();
        Stopwatch stopwatch = new Stopwatch();
        int lost = 0;
        for (int done = 0; done < bombs; done += KINDS.size()) {
            int before = lost;
            stopwatch.time(() -> {});
            lost = before + drop(product.client(), KINDS.size());
            seen.addAll(product.cells());
        }
        Thread.sleep(SETTLE_MILLIS);
        long serverAfter = Processes.memory(product.pid()).residentBytes();
        long cellsAfter = Processes.memory(product.cells()).residentBytes();
        sheet.add("server", growth(serverBefore, serverAfter), null, Target.atMost(SERVER_GROWTH_MAX));
        sheet.add("cells", growth(cellsBefore, cellsAfter), null, null);
        sheet.add(
                "cells that had to be replaced",
                new Figure(seen.size() - cellsAtFirst, "", lost + " bombs ended as backend_lost"),
                null,
                null);
        rows(lab, product.client(), sheet);
    }

    /// How long each kind takes to be stopped.
    private static void rows(Lab lab, Glovebox client, Sheet sheet) {
        for (Bomb bomb : KINDS) {
            Stopwatch stopwatch = new Stopwatch();
            String word = "";
            for (int i = 0; i < lab.times(20); i++) {
                long begun = System.nanoTime();
                RunResponse answer =
                        client.run(Runs.of(bomb.language, bomb.tier, bomb.code, Runs.memory(LIMIT_MIB, WALL_MILLIS)));
                stopwatch.add(System.nanoTime() - begun);
                word = answer.outcome().word();
            }
            Samples samples = stopwatch.samples();
            sheet.add(bomb.what, Figure.millis(samples.median(), word + ", " + samples.tail()), null, null);
        }
    }

    private static int drop(Glovebox client, int count) {
        int lost = 0;
        for (int i = 0; i < count; i++) {
            Bomb bomb = KINDS.get(i % KINDS.size());
            RunResponse answer =
                    client.run(Runs.of(bomb.language, bomb.tier, bomb.code, Runs.memory(LIMIT_MIB, WALL_MILLIS)));
            if (answer.outcome().word().equals("backend_lost")) {
                lost++;
            } else {
                Runs.expectOutcome(answer, "out_of_memory");
            }
        }
        return lost;
    }

    private static Figure growth(long before, long after) {
        String detail = Figure.number(before / MIB) + " before, " + Figure.number(after / MIB) + " after";
        return new Figure((after - before) / MIB, "MiB", detail);
    }
}
