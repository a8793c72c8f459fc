package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.policy.Decision;
import dev.glovebox.core.policy.Policy;

/// Whether a principal may have a command done at all. Pure. Which tier it gets is decided by [TierChoice], and every
/// limit is enforced a second time where it bites.
final class Admission {
    private Admission() {}

    static void check(Principal principal, Command<?> command, Policy policy) {
        switch (command) {
            case Command.CreateKey _,
                    Command.ListKeys _,
                    Command.RevokeKey _,
                    Command.PutTunnel _,
                    Command.ListTunnels _,
                    Command.RemoveTunnel _ -> checkAdmin(principal, command);
            case Command.Run run -> {
                require(policy.decideLimits(run.spec().limits()));
                require(policy.decideNetwork(run.spec().network()));
            }
            case Command.CreateSandbox(SandboxSpec spec) -> {
                require(policy.decideLimits(spec.limits()));
                require(policy.decideLease(spec.lease()));
                require(policy.decideNetwork(spec.network()));
            }
            case Command.ReplaceNetwork replace -> require(policy.decideNetwork(replace.policy()));
            case Command.ExtendLease extend -> require(policy.decideLease(extend.lease()));
            case Command.StartProcess start ->
                require(policy.decideLimits(start.spec().limits()));
            case Command.Execute execute -> require(policy.decideLimits(execute.limits()));
            case Command.OnSandbox<?> _,
                    Command.ListSandboxes _,
                    Command.PutSecret _,
                    Command.ListSecrets _,
                    Command.RemoveSecret _ -> {}
        }
    }

    private static void checkAdmin(Principal principal, Command<?> command) {
        if (!principal.isAdmin()) {
            throw new GloveboxException(
                    ErrorCode.FORBIDDEN, command.verb() + " needs a key with the role admin; this one is a tenant's");
        }
    }

    private static void require(Decision decision) {
        if (decision instanceof Decision.Deny(String rule, String reason)) {
            throw new GloveboxException(ErrorCode.POLICY_DENIED, reason + " (rule " + rule + ")");
        }
    }
}
