package dev.glovebox.server.e2b.control;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.wire.e2b.Template;
import dev.glovebox.wire.e2b.TemplateAlias;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Templates: what there is. They are made by the command line, not by this interface.
final class TemplateCalls {
    private static final long MIB = 1024L * 1024L;
    private static final int PROCESSORS = 2;

    private TemplateCalls() {}

    static void list(ControlCall call) {
        call.json(200, all(call).toList());
    }

    private static Stream<Template> all(ControlCall call) {
        return call.services().templates().get().stream().map(TemplateCalls::template);
    }

    private static Template template(BuiltTemplate built) {
        List<String> names = new TemplateName(built.name(), Optional.empty()).aliases();
        ResourceLimits limits = Creation.limits(Tier.GVISOR);
        return new Template(
                built.name(),
                built.digest(),
                true,
                names.isEmpty() ? List.of(built.name()) : names,
                names.isEmpty() ? List.of(built.name()) : names,
                PROCESSORS,
                limits.memoryBytes() / MIB,
                limits.diskBytes() / MIB,
                time(built.created()),
                time(built.created()),
                Views.ENVD_VERSION,
                "ready",
                0,
                1);
    }

    private static String time(Instant instant) {
        return instant.toString();
    }

    static void get(ControlCall call) {
        String name = call.path("name");
        call.json(
                200,
                all(call)
                        .filter(template -> template.templateID().equals(name)
                                || template.aliases().contains(name))
                        .findFirst()
                        .orElseThrow(() -> TemplateName.notFound(name)));
    }

    static void alias(ControlCall call) {
        TemplateName name = TemplateName.of(call.path("name"));
        boolean isBuilt = call.services().templates().get().stream()
                .anyMatch(built -> built.name().equals(name.linux()));
        if (!isBuilt && !name.isOfAllTiers()) {
            throw TemplateName.notFound(name.name());
        }
        call.json(200, new TemplateAlias(name.linux(), true));
    }

    /// E2B deletes snapshots by this, too: whatever is not there is answered as not found.
    static void delete(ControlCall call) {
        String name = call.path("name");
        if (call.services().templates().get().stream()
                .anyMatch(built -> built.name().equals(name))) {
            throw ControlError.unsupported("templates are removed by 'glovebox template rm', not by this interface");
        }
        throw TemplateName.notFound(name);
    }
}
