package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.server.e2b.E2bSandbox;
import dev.glovebox.server.e2b.SandboxFacts;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.wire.e2b.CreatedSandbox;
import dev.glovebox.wire.e2b.ListedSandbox;
import dev.glovebox.wire.e2b.SandboxDetail;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Sandboxes as E2B's clients see them.
final class Views {
    /// The abilities that clients may count on: those of this version of E2B's envd.
    static final String ENVD_VERSION = "0.6.13";
    /// E2B's clients want one; it says nothing.
    private static final String CLIENT = "glovebox";

    private static final long MIB = 1024L * 1024L;

    private Views() {}

    static CreatedSandbox created(Sandbox sandbox, SandboxTokens tokens, Optional<String> domain) {
        SandboxFacts facts = SandboxFacts.of(sandbox);
        TemplateName template = template(sandbox, facts);
        SandboxId id = sandbox.id();
        return new CreatedSandbox(
                id.value(),
                template.text(),
                template.name(),
                CLIENT,
                ENVD_VERSION,
                domain.orElse(null),
                access(id, facts, tokens),
                tokens.traffic(id));
    }

    private static @Nullable String access(SandboxId id, SandboxFacts facts, SandboxTokens tokens) {
        return facts.secured() ? tokens.access(id) : null;
    }

    /// The template that it was asked for with; of one that was made through another interface, the tier's own.
    static TemplateName template(Sandbox sandbox, SandboxFacts facts) {
        return facts.template()
                .map(TemplateName::of)
                .orElseGet(() -> new TemplateName(
                        sandbox.template().isEmpty() ? "code" : sandbox.template(), Optional.of(sandbox.tier())));
    }

    static ListedSandbox listed(Sandbox sandbox) {
        SandboxFacts facts = SandboxFacts.of(sandbox);
        TemplateName template = template(sandbox, facts);
        return new ListedSandbox(
                sandbox.id().value(),
                template.text(),
                template.name(),
                CLIENT,
                sandbox.createdAt().toString(),
                sandbox.expiresAt().toString(),
                E2bSandbox.processors(sandbox),
                sandbox.limits().memoryBytes() / MIB,
                sandbox.limits().diskBytes() / MIB,
                SandboxFacts.callers(sandbox),
                sandbox.state().word(),
                ENVD_VERSION,
                List.of());
    }

    /// @param network what it may reach now
    static SandboxDetail detail(Sandbox sandbox, NetworkPolicy network, SandboxTokens tokens, Optional<String> domain) {
        SandboxFacts facts = SandboxFacts.of(sandbox);
        ListedSandbox listed = listed(sandbox);
        return new SandboxDetail(
                listed.sandboxID(),
                listed.templateID(),
                listed.alias(),
                listed.clientID(),
                listed.startedAt(),
                listed.endAt(),
                listed.cpuCount(),
                listed.memoryMB(),
                listed.diskSizeMB(),
                listed.metadata(),
                listed.state(),
                listed.envdVersion(),
                access(sandbox.id(), facts, tokens),
                domain.orElse(null),
                !network.isClosed(),
                NetworkWish.view(network, facts.publicTraffic(), facts.maskedHost()),
                new SandboxDetail.Lifecycle("kill", false),
                List.of());
    }
}
