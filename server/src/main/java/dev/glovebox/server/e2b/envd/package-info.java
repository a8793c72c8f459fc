/// Files and processes of a sandbox, as E2B's clients reach them on port 49983: Connect calls with JSON bodies and
/// plain HTTP.
@NullMarked
package dev.glovebox.server.e2b.envd;

import org.jspecify.annotations.NullMarked;
