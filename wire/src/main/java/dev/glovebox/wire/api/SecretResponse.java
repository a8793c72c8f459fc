package dev.glovebox.wire.api;

import java.util.List;

/// What may be told of a secret.
///
/// @param updatedAt when its value or its hosts were last put
public record SecretResponse(String name, List<String> hosts, String updatedAt) {}
