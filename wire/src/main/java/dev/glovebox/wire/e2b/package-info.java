/// What E2B's clients send and expect: names and shapes are theirs. Records only; `server/e2b` gives them meaning.
@NullMarked
package dev.glovebox.wire.e2b;

import org.jspecify.annotations.NullMarked;
