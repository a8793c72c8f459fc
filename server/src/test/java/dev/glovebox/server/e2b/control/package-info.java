@NullMarked
package dev.glovebox.server.e2b.control;

import org.jspecify.annotations.NullMarked;
