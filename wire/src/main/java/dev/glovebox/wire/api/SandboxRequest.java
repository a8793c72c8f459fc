package dev.glovebox.wire.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a new sandbox should be.
///
/// @param tier left out or `auto`: the server picks one and says why
/// @param language what it will mostly run; left out: `python`, in the tier `isolate` `javascript`
/// @param template what it starts from; left out: the tier's own. Only Linux tiers have more than one
/// @param leaseSeconds how long it may live unless extended
/// @param env for every process in it
/// @param metadata the caller's own words; searchable, never interpreted
/// @param network what it may reach; left out: nothing
public record SandboxRequest(
        @Nullable String tier,
        @Nullable String language,
        @Nullable String template,
        @Nullable Long leaseSeconds,
        @Nullable LimitSet limits,
        @Nullable Map<String, String> env,
        @Nullable Map<String, String> metadata,
        @Nullable NetworkRules network) {

    /// From the tier's own template, with a closed network.
    public SandboxRequest(
            @Nullable String tier,
            @Nullable String language,
            @Nullable Long leaseSeconds,
            @Nullable LimitSet limits,
            @Nullable Map<String, String> env,
            @Nullable Map<String, String> metadata) {
        this(tier, language, null, leaseSeconds, limits, env, metadata, null);
    }
}
