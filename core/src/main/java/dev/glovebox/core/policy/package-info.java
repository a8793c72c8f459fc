/// May it? Pure: policies and decisions are values, deciding has no effect.
@NullMarked
package dev.glovebox.core.policy;

import org.jspecify.annotations.NullMarked;
