@NullMarked
package dev.glovebox.cli;

import org.jspecify.annotations.NullMarked;
