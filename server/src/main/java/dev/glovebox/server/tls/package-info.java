/// TLS: certificates of a local authority that vouches for this server's names alone, or from files.
@NullMarked
package dev.glovebox.server.tls;

import org.jspecify.annotations.NullMarked;
