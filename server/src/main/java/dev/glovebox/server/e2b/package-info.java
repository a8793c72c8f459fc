/// E2B's interfaces, so that its clients work against this server: what all parts of them share. `control` makes and
/// lists sandboxes, `traffic` finds the sandbox and the port that a request is for.
@NullMarked
package dev.glovebox.server.e2b;

import org.jspecify.annotations.NullMarked;
