/// What a guest reaches: connections that the host opens for it, TLS over them, and requests of HTTP/1.1.
@NullMarked
package dev.glovebox.cell.net;

import org.jspecify.annotations.NullMarked;
