package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;

/// How many of a thing a tenant may have, in whichever store.
enum TenantBound {
    SECRETS("secrets", Limits.SECRETS_PER_TENANT_MAX),
    TUNNELS("tunnels", Limits.TUNNELS_PER_TENANT_MAX);

    private final String word;
    private final int most;

    TenantBound(String word, int most) {
        this.word = word;
        this.most = most;
    }

    /// @throws GloveboxException QUOTA_EXCEEDED if there are more
    void check(long count) {
        if (count > most) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "this tenant already has " + most + " " + word + ", its bound: remove one that nobody needs");
        }
    }
}
