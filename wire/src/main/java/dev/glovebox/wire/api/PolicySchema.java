package dev.glovebox.wire.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// The JSON schema of [NetworkRules] as a file.
public final class PolicySchema {
    private PolicySchema() {}

    /// Its text.
    public static String text() {
        try (InputStream in = PolicySchema.class.getResourceAsStream("policy.schema.json")) {
            if (in == null) {
                throw new IllegalStateException("the schema is missing in the product");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
