package dev.glovebox.wire.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sandbox as it is known now. Times are RFC 3339 in UTC.
///
/// @param template what it was started from; empty where its tier has but one
/// @param state `creating`, `running`, `pausing`, `paused`, `resuming`, `killing`, `dead`
/// @param stopReason why it is dead or dying
/// @param expiresAt when its lease ends
public record SandboxResponse(
        String id,
        String tier,
        String tierReason,
        String language,
        String template,
        String state,
        @Nullable String stopReason,
        String createdAt,
        String expiresAt,
        LimitSet limits,
        Map<String, String> metadata) {}
