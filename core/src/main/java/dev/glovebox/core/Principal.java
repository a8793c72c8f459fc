package dev.glovebox.core;

/// Who asks: a tenant, the credential that proved it, and what the credential may do. `credential` is a public name
/// (a key's id, `local`), never the secret itself; it is what the audit log records.
public record Principal(TenantId tenant, String credential, Role role) {

    /// What a credential may do.
    public enum Role {
        /// Everything within its own tenant.
        TENANT,
        /// Also keys and tenants.
        ADMIN
    }

    public boolean isAdmin() {
        return role == Role.ADMIN;
    }
}
