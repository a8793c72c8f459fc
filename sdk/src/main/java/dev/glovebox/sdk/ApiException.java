package dev.glovebox.sdk;

import dev.glovebox.wire.api.Problem;

/// A request was refused or failed. The message is a sentence that names the value, the bound and the remedy.
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ApiException(Problem problem) {
        super(problem.detail());
        this.problem = problem;
    }

    /// For programs, for example `sandbox_not_found`; never renamed.
    public String code() {
        return problem.code();
    }

    /// The same as [#getMessage()].
    public String detail() {
        return problem.detail();
    }

    /// All that is known of it.
    public Problem problem() {
        return problem;
    }
}
