/// Who asks: from a credential to a principal.
@NullMarked
package dev.glovebox.server.auth;

import org.jspecify.annotations.NullMarked;
