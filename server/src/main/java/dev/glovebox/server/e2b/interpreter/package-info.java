/// The code interpreter of a sandbox, as E2B's clients reach it on port 49999.
@NullMarked
package dev.glovebox.server.e2b.interpreter;

import org.jspecify.annotations.NullMarked;
