@NullMarked
package dev.glovebox.server;

import org.jspecify.annotations.NullMarked;
