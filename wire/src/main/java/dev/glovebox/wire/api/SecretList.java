package dev.glovebox.wire.api;

import java.util.List;

/// Secrets, by name.
public record SecretList(List<SecretResponse> items) {}
