@NullMarked
package dev.glovebox.server.e2b.interpreter;

import org.jspecify.annotations.NullMarked;
