/// What outlives a process, as ports: the store module implements them.
@NullMarked
package dev.glovebox.core.store;

import org.jspecify.annotations.NullMarked;
