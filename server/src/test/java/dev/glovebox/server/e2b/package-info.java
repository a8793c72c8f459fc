@NullMarked
package dev.glovebox.server.e2b;

import org.jspecify.annotations.NullMarked;
