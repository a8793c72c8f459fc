package dev.glovebox.egress;

/// A request that is not passed on. A value of the guest's making: it ends the connection and is recorded.
final class HttpRefusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String reason;

    /// @param rule as the record names it
    /// @param reason a sentence without a byte of the guest's
    HttpRefusal(String rule, String reason) {
        super(reason, null, false, false);
        this.rule = rule;
        this.reason = reason;
    }

    String rule() {
        return rule;
    }

    String reason() {
        return reason;
    }
}
