/// What is recorded: one event before each effect and one after it.
@NullMarked
package dev.glovebox.core.audit;

import org.jspecify.annotations.NullMarked;
