package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;

/// Which template a name stands for.
public record TemplateAlias(
        String templateID, @JsonName("public") boolean isPublic) {}
