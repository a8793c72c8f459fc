/// What a sandbox may reach, decided purely: addresses, names, rules, and the one method that says yes or no.
/// The module `egress` reads handshakes and moves bytes; what it may do with them is settled here.
@NullMarked
package dev.glovebox.core.egress;

import org.jspecify.annotations.NullMarked;
