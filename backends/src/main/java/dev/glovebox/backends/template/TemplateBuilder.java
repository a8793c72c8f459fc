package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Makes templates. Steps run as root, confined to the build's directory, and one after the other; a build that is
/// killed leaves nothing but that directory, which the next one removes. One build at a time.
public final class TemplateBuilder {
    private final TemplateStore store;
    private final Sources sources;
    private final Clock clock;
    private final BuildProgress progress;

    /// Where the product's own parts lie.
    ///
    /// @param recipes the directory of the recipes that come with it, and of the scripts that run steps
    /// @param kernels what goes to /opt/glovebox/kernels
    public record Sources(Path recipes, Path kernels) {}

    /// What a template was made of, before it is an image.
    private record Made(
            String source,
            @Nullable String recipeDigest,
            @Nullable String parentDigest,
            @Nullable String ociDigest,
            String description,
            Map<String, String> env,
            String user,
            String workdir,
            List<String> start) {}

    /// A step may fail as the file system does.
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    public TemplateBuilder(TemplateStore store, Sources sources, Clock clock, BuildProgress progress) {
        this.store = store;
        this.sources = sources;
        this.clock = clock;
        this.progress = progress;
    }

    /// Builds the recipe of this name that comes with the product, or the recipe at a path.
    public TemplateStore.Entry fromRecipe(String nameOrPath) {
        TemplateRecipe recipe = recipe(nameOrPath);
        try (TemplateLock lock = prepare()) {
            Objects.requireNonNull(lock);
            return build(recipe);
        }
    }

    /// Makes a template of a directory that holds a root file system; the directory stays as it is.
    public TemplateStore.Entry fromDirectory(TemplateName name, Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "there is no directory " + directory);
        }
        try (TemplateLock lock = prepare()) {
            Objects.requireNonNull(lock);
            return inBuildDirectory(name, (tools, build, root) -> {
                step("copy the directory", () -> copy(tools, directory.toRealPath(), root));
                return new Made(
                        "directory", null, null, null, "", Map.of(), RootFinish.USER, RootFinish.HOME, List.of());
            });
        }
    }

    /// Makes a template of an OCI image.
    public TemplateStore.Entry fromOci(TemplateName name, String reference) {
        OciImage.requirePresent(reference);
        try (TemplateLock lock = prepare()) {
            Objects.requireNonNull(lock);
            return inBuildDirectory(name, (tools, build, root) -> {
                OciImage[] image = new OciImage[1];
                step("fetch and unpack the image", () -> image[0] = OciImage.unpack(tools, build, reference, root));
                OciImage made = image[0];
                return new Made(
                        "oci " + OciImage.described(reference),
                        null,
                        null,
                        made.digest(),
                        "",
                        made.env(),
                        made.user(),
                        made.workdir(),
                        made.start());
            });
        }
    }

    private TemplateRecipe recipe(String nameOrPath) {
        if (TemplateName.isOne(nameOrPath)) {
            Optional<TemplateRecipe> own = ownRecipe(new TemplateName(nameOrPath));
            if (own.isPresent()) {
                return own.get();
            }
        }
        if (!Files.exists(Path.of(nameOrPath))) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + nameOrPath
                            + "' is neither a recipe that comes with Glovebox (base, code) nor the path of one;"
                            + " --from-directory and --from-oci make a template without a recipe");
        }
        return TemplateRecipe.read(Path.of(nameOrPath).toAbsolutePath());
    }

    private Optional<TemplateRecipe> ownRecipe(TemplateName name) {
        Path directory = sources.recipes().resolve(name.value());
        return Files.exists(directory.resolve(TemplateRecipe.FILE))
                ? Optional.of(TemplateRecipe.read(directory))
                : Optional.empty();
    }

    /// Takes the lock, refuses what cannot work, and removes what an earlier build left.
    private TemplateLock prepare() {
        ToolLauncher.require("unshare", "setpriv", "mkfs.erofs");
        if (!Objects.equals(System.getProperty("user.name"), "root")) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "building a template makes mounts and files of other users, which only root may: run it by sudo,"
                            + " with the same --home");
        }
        TemplateLock lock = TemplateLock.take(store);
        try {
            RootTree.delete(store.building(), false);
            Files.createDirectories(store.building());
            return lock;
        } catch (IOException e) {
            lock.close();
            throw new UncheckedIOException("what an earlier build left cannot be removed: " + e.getMessage(), e);
        }
    }

    private TemplateStore.Entry build(TemplateRecipe recipe) {
        TemplateName parentName = recipe.parent();
        TemplateStore.@Nullable Entry parent = parentName == null ? null : parent(parentName);
        return inBuildDirectory(recipe.name(), (tools, build, root) -> make(recipe, parent, tools, build, root));
    }

    /// The parent as it is here, or, if it comes with the product and was never built, built now.
    private TemplateStore.Entry parent(TemplateName name) {
        Optional<TemplateStore.Entry> present = store.find(name);
        if (present.isPresent()) {
            return present.get();
        }
        progress.remark("the parent " + name + " is not built yet: it comes first");
        return build(ownRecipe(name)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the parent " + name
                                + " is not built here and no recipe of that name comes with Glovebox: build it"
                                + " first")));
    }

    private Made make(
            TemplateRecipe recipe, TemplateStore.@Nullable Entry parent, ToolLauncher tools, Path build, Path root)
            throws IOException {
        RootTree tree = new RootTree(root);
        DebianSteps debian = new DebianSteps(tools, build);
        String suite = recipe.suite();
        if (parent != null) {
            step("unpack " + parent.name(), () -> unpack(tools, parent.image(), root));
            if (!recipe.packages().isEmpty()) {
                String parentSuite = new RootFinish(tree, sources.kernels()).suite();
                step("Debian packages", () -> debian.add(root, parentSuite, recipe.packages()));
            }
        } else if (suite != null) {
            step("Debian " + suite, () -> debian.make(root, suite, recipe.packages()));
        }
        addLanguages(recipe, tools, build, tree);
        for (TemplateRecipe.FileCopy file : recipe.files()) {
            tree.copy(recipe.beside(file.from()), file.to(), file.mode());
        }
        for (int i = 0; i < recipe.run().size(); i++) {
            String command = recipe.run().get(i);
            step(
                    "run step " + (i + 1) + " of " + recipe.run().size(),
                    () -> tools.runInside(
                            "a run step",
                            new ToolLauncher.Options(recipe.network(), handedIn(recipe)),
                            root,
                            List.of("sh", "-eu", "-c", command)));
        }
        return describe(recipe, parent);
    }

    /// Run steps find the recipe's directory at /tmp/handed-in.
    private static Map<String, String> handedIn(TemplateRecipe recipe) {
        return Map.of("GLOVEBOX_HANDED_IN", recipe.directory().toString());
    }

    private void addLanguages(TemplateRecipe recipe, ToolLauncher tools, Path build, RootTree tree) {
        LanguageSteps languages = new LanguageSteps(tools, build);
        String pip = recipe.pip();
        if (pip != null) {
            step("Python packages", () -> languages.python(tree, recipe.beside(pip)));
        }
        if (!recipe.npm().isEmpty()) {
            step("npm packages", () -> languages.node(tree, recipe.npm()));
        }
    }

    private static Made describe(TemplateRecipe recipe, TemplateStore.@Nullable Entry parent) {
        TemplateMetadata above = parent == null ? null : parent.metadata();
        Map<String, String> env = new LinkedHashMap<>(above == null ? Map.of() : above.env());
        env.putAll(recipe.env());
        String user = recipe.user();
        String workdir = recipe.workdir();
        List<String> start = above == null || !recipe.start().isEmpty() ? recipe.start() : above.start();
        return new Made(
                "recipe",
                recipe.digest(above == null ? "" : above.digest()),
                above == null ? null : above.digest(),
                null,
                recipe.description(),
                env,
                user != null ? user : above == null ? RootFinish.USER : above.user(),
                workdir != null ? workdir : above == null ? RootFinish.HOME : above.workdir(),
                start);
    }

    private static void copy(ToolLauncher tools, Path directory, Path root) {
        tools.run(
                "cp",
                ToolLauncher.Options.ALONE,
                List.of("cp", "--archive", "--one-file-system", directory.toString(), root.toString()));
    }

    /// By mounting it: the tool that unpacks images forgets owners and times.
    private static void unpack(ToolLauncher tools, Path image, Path root) {
        String script = """
                mkdir "$2" "$2.parent"
                mount -t erofs -o ro "$1" "$2.parent"
                cp --archive "$2.parent/." "$2"
                """;
        tools.run(
                "unpacking the parent",
                ToolLauncher.Options.ALONE,
                List.of("sh", "-eu", "-c", script, "unpack", image.toString(), root.toString()));
    }

    /// What fills an empty root and says what it was filled from.
    @FunctionalInterface
    private interface Filling {
        Made fill(ToolLauncher tools, Path build, Path root) throws IOException;
    }

    private TemplateStore.Entry inBuildDirectory(TemplateName name, Filling filling) {
        try {
            Path build = Files.createTempDirectory(store.building(), name.value() + "-")
                    .toRealPath();
            Path root = build.resolve("root");
            ToolLauncher tools = new ToolLauncher(sources.recipes(), build);
            try {
                Made made = filling.fill(tools, build, root);
                return image(name, made, tools, build, new RootTree(root));
            } finally {
                RootTree.delete(build, true);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the template " + name + " cannot be built: " + e, e);
        }
    }

    private TemplateStore.Entry image(TemplateName name, Made made, ToolLauncher tools, Path build, RootTree tree)
            throws IOException {
        Path file = build.resolve("image");
        step("finish", () -> {
            Set<String> removed = new RootFinish(tree, sources.kernels()).finish();
            if (!removed.isEmpty()) {
                progress.remark("left out " + removed.size() + " devices, sockets or pipes");
            }
        });
        // Extended inodes keep the files' times: with compact ones every .pyc looks stale, and imports take four times
        // as long.
        step(
                "image",
                () -> tools.run(
                        "mkfs.erofs",
                        ToolLauncher.Options.ALONE,
                        List.of(
                                "mkfs.erofs",
                                "--quiet",
                                "-zlz4hc",
                                "-Eforce-inode-extended",
                                file.toString(),
                                tree.root().toString())));
        TemplateStore.Entry[] entry = new TemplateStore.Entry[1];
        step("store", () -> {
            TemplateMetadata metadata = new TemplateMetadata(
                    name,
                    made.description(),
                    Sha256.of(file),
                    clock.instant().truncatedTo(ChronoUnit.SECONDS),
                    made.source(),
                    made.recipeDigest(),
                    made.parentDigest(),
                    made.ociDigest(),
                    Files.size(file),
                    made.env(),
                    made.user(),
                    made.workdir(),
                    made.start(),
                    PackageVersions.of(tree));
            entry[0] = store.put(file, metadata);
        });
        return entry[0];
    }

    private void step(String what, Step step) {
        progress.begins(what);
        long began = System.nanoTime();
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException("step '" + what + "' failed: " + e, e);
        }
        progress.ends(what, Duration.ofNanos(System.nanoTime() - began));
    }
}
