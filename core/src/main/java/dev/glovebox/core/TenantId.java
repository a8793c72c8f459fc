package dev.glovebox.core;

import java.util.regex.Pattern;

/// Names a tenant: the unit that quotas, policies and cells belong to.
public record TenantId(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    /// The tenant of a server that nobody divided into tenants.
    public static final TenantId DEFAULT = new TenantId("default");

    public TenantId {
        if (!SHAPE.matcher(value).matches()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a tenant's name is 1 to 63 of a-z, 0-9 and '-', and does not begin with '-'");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
