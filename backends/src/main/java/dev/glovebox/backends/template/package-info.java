/// Templates: what Linux sandboxes start from. How they are described, built, kept and found again.
@NullMarked
package dev.glovebox.backends.template;

import org.jspecify.annotations.NullMarked;
