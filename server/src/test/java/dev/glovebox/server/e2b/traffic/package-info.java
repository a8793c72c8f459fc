@NullMarked
package dev.glovebox.server.e2b.traffic;

import org.jspecify.annotations.NullMarked;
