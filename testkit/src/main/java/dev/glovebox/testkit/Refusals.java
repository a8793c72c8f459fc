package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// Asserts refusals, each by its code and by its words.
public final class Refusals {
    private Refusals() {}

    /// A refusal that was caught.
    public record Caught(GloveboxException refusal) {
        /// Asserts its code and that its sentence holds every one of `words`.
        public void is(ErrorCode code, String... words) {
            assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
            assertThat(refusal.getMessage()).as("every refusal has words").isNotBlank();
            for (String word : words) {
                assertThat(refusal.getMessage()).contains(word);
            }
        }
    }

    /// Runs what must be refused.
    public static Caught refusal(ThrowingCallable action) {
        Throwable thrown = catchThrowable(action);
        assertThat(thrown).as("a refusal").isInstanceOf(GloveboxException.class);
        return new Caught((GloveboxException) thrown);
    }
}
