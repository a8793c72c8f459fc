/// The command line: one file per verb.
@NullMarked
package dev.glovebox.cli;

import org.jspecify.annotations.NullMarked;
