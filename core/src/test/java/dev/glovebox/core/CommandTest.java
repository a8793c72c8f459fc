package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CommandTest {
    private static final SandboxId ID = new SandboxId("iabcdefghij0123456789");

    private static void refused(ErrorCode code, ThrowingCallable making, String... words) {
        GloveboxException refusal = catchThrowableOfType(GloveboxException.class, making);
        assertThat(refusal).as("a refusal").isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        assertThat(refusal).hasMessageContainingAll(words);
    }

    private static Execution.ProcessSpec process(List<String> arguments, Map<String, String> environment) {
        return new Execution.ProcessSpec(
                arguments, Optional.empty(), environment, GuestPath.HOME, false, ResourceLimits.DEFAULT);
    }

    private static SandboxSpec sandbox(Duration lease, Map<String, String> metadata) {
        return new SandboxSpec(Optional.empty(), Language.PYTHON, lease, ResourceLimits.DEFAULT, Map.of(), metadata);
    }

    @Test
    void aProcessNeedsSomethingToRun() {
        refused(ErrorCode.INVALID_ARGUMENT, () -> process(List.of(), Map.of()), "give arguments or code");
    }

    @Test
    void argumentsHaveBounds() {
        assertThat(process(Collections.nCopies(Limits.ARGUMENTS_MAX, "a"), Map.of())
                        .arguments())
                .hasSize(Limits.ARGUMENTS_MAX);
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> process(Collections.nCopies(Limits.ARGUMENTS_MAX + 1, "a"), Map.of()),
                "4097 arguments",
                "4096");
        String longest = "é".repeat(Limits.ARGUMENTS_BYTES_MAX / 2 - 1) + "a";
        assertThat(process(List.of(longest), Map.of()).arguments()).hasSize(1);
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> process(List.of(longest + "a"), Map.of()),
                "the bound is 131072",
                "put long values into a file");
        refused(ErrorCode.INVALID_ARGUMENT, () -> process(List.of("a\0b"), Map.of()), "NUL");
    }

    @Test
    void anEnvironmentHasNamesThatAShellTakes() {
        assertThat(process(List.of("x"), Map.of("_A1", "any = thing\n")).environment())
                .hasSize(1);
        for (String name : List.of("", "1A", "A-B", "A B", "A=B", "A\0", "É")) {
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> process(List.of("x"), Map.of(name, "v")),
                    "a letter or '_' followed by");
        }
        refused(ErrorCode.INVALID_ARGUMENT, () -> process(List.of("x"), Map.of("A", "\0")), "NUL");
    }

    @Test
    void metadataHasBounds() {
        Map<String, String> most = new HashMap<>();
        for (int i = 0; i < Limits.METADATA_ENTRIES_MAX; i++) {
            most.put("k" + i, "v".repeat(Limits.METADATA_VALUE_BYTES_MAX));
        }
        assertThat(sandbox(Limits.LEASE_DEFAULT, most).metadata()).hasSize(Limits.METADATA_ENTRIES_MAX);
        most.put("one more", "");
        refused(ErrorCode.INVALID_ARGUMENT, () -> sandbox(Limits.LEASE_DEFAULT, most), "65 metadata entries");
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> sandbox(Limits.LEASE_DEFAULT, Map.of("", "v")),
                "1 to 128 characters");
        refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> sandbox(Limits.LEASE_DEFAULT, Map.of("k", "v".repeat(Limits.METADATA_VALUE_BYTES_MAX + 1))),
                "2048");
    }

    @Test
    void aLeaseIsPositiveAndFinite() {
        assertThat(sandbox(Limits.LEASE_MAX, Map.of()).lease()).isEqualTo(Limits.LEASE_MAX);
        for (Duration lease : List.of(Duration.ZERO, Duration.ofSeconds(-1), Limits.LEASE_MAX.plusNanos(1))) {
            refused(ErrorCode.INVALID_ARGUMENT, () -> sandbox(lease, Map.of()), "is outside 1..86400 s");
            refused(ErrorCode.INVALID_ARGUMENT, () -> new Command.ExtendLease(ID, lease), "is outside 1..86400 s");
        }
    }

    @Test
    void codeHasBoundsByItsKind() {
        byte[] large = new byte[Limits.CODE_BYTES_MAX + 1];
        refused(ErrorCode.TOO_LARGE, () -> new Execution.Code(Language.PYTHON, large, "m.py"), "put data into files");
        assertThat(new Execution.Code(Language.WASM, large, "m.wasm").content()).hasSize(large.length);
        refused(
                ErrorCode.TOO_LARGE,
                () -> new Execution.Code(Language.WASM, new byte[Limits.MODULE_BYTES_MAX + 1], "m.wasm"),
                "33554433 bytes");
        refused(
                ErrorCode.TOO_LARGE,
                () -> new Command.Execute(
                        ID,
                        new ContextId("c1"),
                        "x".repeat(Limits.CODE_BYTES_MAX + 1),
                        Map.of(),
                        ResourceLimits.DEFAULT),
                "4194305 characters");
    }

    @Test
    void listsAndSignalsAndDepthsHaveBounds() {
        for (int size : List.of(0, -1, Limits.PAGE_SIZE_MAX + 1)) {
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> new Command.ListSandboxes(Map.of(), size, Optional.empty()),
                    "a page size of " + size);
        }
        for (int signal : List.of(0, -9, 65)) {
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> new Command.SignalProcess(ID, new ProcessId(1), signal),
                    "signal " + signal);
        }
        for (int depth : List.of(0, Limits.DIRECTORY_DEPTH_MAX + 1)) {
            refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> new Command.ListDirectory(ID, GuestPath.ROOT, depth),
                    "a depth of " + depth);
        }
    }

    @Test
    void whatIsSecretIsInNoText() {
        ApiKey key = new ApiKey(
                "e2b_12345678", "f".repeat(64), TenantId.DEFAULT, Principal.Role.ADMIN, "label", Instant.EPOCH);
        Command.NewKey created = new Command.NewKey(key, "e2b_1234567890");
        assertThat(created.toString() + key).doesNotContain("e2b_1234567890").doesNotContain("f".repeat(64));
    }

    @Test
    void aByteSourceGivesItsBytesOnce() {
        ByteSource source = ByteSource.of(new byte[] {1, 2, 3});
        byte[] target = new byte[2];
        assertThat(source.read(target)).isEqualTo(2);
        assertThat(target).containsExactly(1, 2);
        assertThat(source.read(target)).isEqualTo(1);
        assertThat(source.read(target)).isEqualTo(-1);
    }
}
