package dev.glovebox.cli;

import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.TemplateTool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `glovebox template`: what Linux sandboxes start from.
@Command(
        name = "template",
        description = "Build, list, show, pin, unpin or remove templates, from which Linux sandboxes start.",
        sortOptions = false)
final class TemplateVerb implements Callable<Integer> {
    private enum Action {
        BUILD,
        LIST,
        SHOW,
        PIN,
        UNPIN,
        RM
    }

    private static final double MB = 1e6;
    private static final int SHORT_DIGEST = 12;

    @Mixin
    private Home home = new Home();

    @Option(
            names = "--from-directory",
            paramLabel = "DIR",
            description = "build: use the root file system in a directory, not a recipe.")
    private @Nullable Path directory;

    @Option(
            names = "--from-oci",
            paramLabel = "REF",
            description = "build: use an OCI image: a registry's, a layout directory, or an archive.")
    private @Nullable String reference;

    @Option(names = "--unused", description = "rm: remove the images that no name stands for any more.")
    private boolean unused;

    @Option(names = "--json", description = "Answer as JSON.")
    private boolean json;

    @Parameters(index = "0", paramLabel = "build|list|show|pin|unpin|rm", description = "What to do.")
    private Action action = Action.LIST;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The template; for build also the path of a recipe.")
    private @Nullable String name;

    @Override
    public Integer call() {
        TemplateTool tool = new TemplateTool(home.directory());
        switch (action) {
            case BUILD -> show(build(tool));
            case LIST -> list(tool);
            case SHOW -> show(tool.show(needed()));
            case PIN -> tool.pin(needed());
            case UNPIN -> tool.unpin(needed());
            case RM -> remove(tool);
        }
        return 0;
    }

    private TemplateTool.Template build(TemplateTool tool) {
        if (directory != null && reference != null) {
            throw new IllegalArgumentException("give either --from-directory or --from-oci, not both");
        }
        if (directory != null) {
            return tool.buildDirectory(needed(), directory, TemplateVerb::progress);
        }
        return reference != null
                ? tool.buildOci(needed(), reference, TemplateVerb::progress)
                : tool.buildRecipe(needed(), TemplateVerb::progress);
    }

    private void remove(TemplateTool tool) {
        if (name == null && unused) {
            Messages.note("glovebox: removed " + tool.removeUnused() + " unused images");
            return;
        }
        tool.remove(needed());
        if (unused) {
            tool.removeUnused();
        }
    }

    private String needed() {
        if (name == null) {
            throw new IllegalArgumentException("name the template: 'glovebox template list' shows what there is");
        }
        return name;
    }

    private static void progress(String line) {
        Messages.note("glovebox: " + Messages.safe(line));
    }

    private void list(TemplateTool tool) {
        if (json) {
            say(tool.list());
            return;
        }
        for (TemplateTool.Template template : tool.list().templates()) {
            Messages.say(String.format(
                    Locale.ROOT,
                    "%-16s %s  %6.0f MB  %s%s  %s",
                    template.name(),
                    template.digest().substring(0, SHORT_DIGEST),
                    template.bytes() / MB,
                    template.created(),
                    template.pinned() ? "  pinned" : "",
                    Messages.safe(template.description())));
        }
    }

    private void show(TemplateTool.Template template) {
        if (json) {
            say(template);
            return;
        }
        row("name", template.name());
        row("description", template.description());
        row("digest", template.digest());
        row("created", template.created());
        row("size", String.format(Locale.ROOT, "%.1f MB", template.bytes() / MB));
        row("pinned", template.pinned() ? "yes" : "no");
        row("source", template.source());
        row("image digest", template.ociDigest());
        row("user", template.user() + ", in " + template.workdir());
        row("start", String.join(" ", template.start()));
        row("packages", template.packages().size() + " (--json lists them with their versions)");
        List.copyOf(template.env().entrySet()).forEach(e -> row("env", e.getKey() + "=" + e.getValue()));
    }

    private static void row(String what, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            Messages.say(String.format(Locale.ROOT, "%-13s %s", what, Messages.safe(value)));
        }
    }

    private static void say(Record answer) {
        Messages.say(new String(RecordJson.write(answer), StandardCharsets.UTF_8));
    }
}
