/// The only code that opens outbound sockets for guests: it reads what a connection asks for, has the policy
/// decide, and moves bytes.
@NullMarked
package dev.glovebox.egress;

import org.jspecify.annotations.NullMarked;
