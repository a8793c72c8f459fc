package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.wire.api.Problem;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// A call that the server must refuse, and the words in which it must.
record Refusal(Problem problem) {

    static Refusal of(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).as("a refusal").isInstanceOf(ApiException.class);
        return new Refusal(((ApiException) thrown).problem());
    }

    /// Its status and code, and parts of its sentence.
    Refusal is(int status, String code, String... words) {
        assertThat(problem.code()).as(problem.toString()).isEqualTo(code);
        assertThat(problem.status()).as(problem.toString()).isEqualTo(status);
        assertThat(problem.type()).isEqualTo("urn:glovebox:problem:" + code);
        assertThat(problem.title()).isEqualTo(code.replace('_', ' '));
        for (String word : words) {
            assertThat(problem.detail()).contains(word);
        }
        return this;
    }
}
