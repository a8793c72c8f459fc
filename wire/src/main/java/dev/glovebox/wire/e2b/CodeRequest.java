package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks to execute code.
///
/// @param contextId where; excludes `language`
/// @param language in the default context of this language
/// @param environment for this execution only
public record CodeRequest(
        String code,
        @JsonName("context_id") @Nullable String contextId,
        @Nullable String language,
        @JsonName("env_vars") @Nullable Map<String, String> environment) {}
