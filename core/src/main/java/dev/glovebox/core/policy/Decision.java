package dev.glovebox.core.policy;

/// What a policy says of one request. Deny is the default: where no rule allows, the decision is [Deny].
public sealed interface Decision {
    /// Yes.
    ///
    /// @param rule the rule that allowed it
    record Allow(String rule) implements Decision {}

    /// No.
    ///
    /// @param rule the rule that refused it
    /// @param reason a sentence that names the value, the bound and the remedy
    record Deny(String rule, String reason) implements Decision {}
}
