/// What a tenant hands in to be sent on behalf of its sandboxes, and what nobody reads back.
@NullMarked
package dev.glovebox.core.secret;

import org.jspecify.annotations.NullMarked;
