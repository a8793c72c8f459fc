package dev.glovebox.wire.api;

import java.util.List;

/// API keys, oldest first.
public record KeyList(List<KeyResponse> items) {}
