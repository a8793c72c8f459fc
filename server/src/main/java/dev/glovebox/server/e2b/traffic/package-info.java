/// Requests to ports of sandboxes: which sandbox, which port, whether they may, and how they get there.
@NullMarked
package dev.glovebox.server.e2b.traffic;

import org.jspecify.annotations.NullMarked;
