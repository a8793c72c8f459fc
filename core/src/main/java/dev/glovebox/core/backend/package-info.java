/// What a tier must provide, and what the engine tells it.
@NullMarked
package dev.glovebox.core.backend;

import org.jspecify.annotations.NullMarked;
