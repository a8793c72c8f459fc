package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How a template is made: from a suite of Debian or from another template (exactly one of the two), and what is added.
/// A recipe belongs to the operator: its steps run as root, in a chroot.
///
/// @param pip a requirements file beside the recipe, or null
/// @param network whether the run steps may use the network; packages never need it, they are fetched outside
/// @param user who runs things in a sandbox, or null for the parent's
/// @param start what a sandbox starts first; empty for nothing
/// @param directory where the recipe and its files lie
public record TemplateRecipe(
        TemplateName name,
        String description,
        @Nullable String suite,
        @Nullable TemplateName parent,
        List<String> packages,
        @Nullable String pip,
        List<String> npm,
        List<FileCopy> files,
        List<String> run,
        boolean network,
        Map<String, String> env,
        @Nullable String user,
        @Nullable String workdir,
        List<String> start,
        Path directory) {

    /// A file beside the recipe that goes into the template; the mode is octal digits.
    public record FileCopy(String from, String to, String mode) {}

    static final String FILE = "recipe.json";

    private static final Set<String> KEYS = Set.of(
            "name",
            "description",
            "suite",
            "parent",
            "packages",
            "pip",
            "npm",
            "files",
            "run",
            "network",
            "env",
            "user",
            "workdir",
            "start");

    private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    /// As Debian policy has it, with a version or a suite behind it.
    private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?([=/][A-Za-z0-9.+~:-]+)?");

    private static final Pattern NPM = Pattern.compile("(@[a-z0-9._-]+/)?[a-z0-9._-]+@[0-9A-Za-z.+-]+");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern MODE = Pattern.compile("[0-7]{3,4}");

    public TemplateRecipe {
        packages = List.copyOf(packages);
        npm = List.copyOf(npm);
        files = List.copyOf(files);
        run = List.copyOf(run);
        env = Map.copyOf(env);
        start = List.copyOf(start);
        if ((suite == null) == (parent == null)) {
            throw invalid(
                    name,
                    "names " + (suite == null ? "neither" : "both") + " a \"suite\" of Debian "
                            + (suite == null ? "nor" : "and") + " a \"parent\" template: give one of them");
        }
        check(name, "suite", suite == null ? List.of() : List.of(suite), WORD, "a word such as bookworm");
        check(name, "packages", packages, PACKAGE, "names of Debian packages");
        check(name, "npm", npm, NPM, "packages with their version, as typescript@5.9.3");
        check(name, "env", env.keySet(), VARIABLE, "names of variables");
        check(name, "user", user == null ? List.of() : List.of(user), WORD, "a user's name");
        check(name, "mode", files.stream().map(FileCopy::mode).toList(), MODE, "octal digits such as 0755");
        for (FileCopy file : files) {
            if (!file.to().startsWith("/") || file.to().contains("/../")) {
                throw invalid(name, "puts a file to '" + file.to() + "', which is no absolute path");
            }
        }
    }

    private static void check(TemplateName name, String key, Iterable<String> values, Pattern form, String expected) {
        for (String value : values) {
            if (!form.matcher(value).matches()) {
                throw invalid(name, "has '" + value + "' in \"" + key + "\", which takes " + expected);
            }
        }
    }

    /// Reads a recipe: the file itself, or the directory that holds `recipe.json`. The files that it names are there.
    public static TemplateRecipe read(Path place) {
        Path file = Files.isDirectory(place) ? place.resolve(FILE) : place;
        try {
            TemplateRecipe recipe = parse(Files.readAllBytes(file), file.toAbsolutePath());
            recipe.requireFiles();
            return recipe;
        } catch (IllegalArgumentException e) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "there is no recipe that can be read at " + file, e);
        }
    }

    private static TemplateRecipe parse(byte[] text, Path file) {
        TemplateJson json = TemplateJson.read(text, "the recipe " + file.getFileName());
        for (String key : json.names()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException("the recipe has \"" + key + "\", which means nothing: it knows "
                        + KEYS.stream().sorted().toList());
            }
        }
        String parent = json.text("parent");
        Path directory = file.resolveSibling("");
        return new TemplateRecipe(
                new TemplateName(json.required("name")),
                json.text("description", ""),
                json.text("suite"),
                parent == null ? null : new TemplateName(parent),
                json.texts("packages"),
                json.text("pip"),
                json.texts("npm"),
                json.objects("files").stream()
                        .map(copy ->
                                new FileCopy(copy.required("from"), copy.required("to"), copy.text("mode", "0644")))
                        .toList(),
                json.texts("run"),
                json.flag("network"),
                json.textMap("env"),
                json.text("user"),
                json.text("workdir"),
                json.texts("start"),
                directory);
    }

    /// Now, for the steps that come before they are needed take minutes.
    private void requireFiles() {
        files.forEach(copy -> beside(copy.from()));
        if (pip != null) {
            beside(pip);
        }
    }

    /// A file beside the recipe. Only there: a recipe can be handed on as one directory.
    Path beside(String from) {
        Path file = directory.resolve(from).normalize();
        if (!file.startsWith(directory.normalize()) || !Files.isRegularFile(file)) {
            throw invalid(name, "names the file '" + from + "', which does not lie beside it");
        }
        return file;
    }

    /// Names exactly what would be built: the recipe, its files, and the image that it stands on.
    String digest(String parentDigest) {
        Sha256 digest = new Sha256();
        try {
            digest.part(toString().replace(directory.toString(), "").getBytes(StandardCharsets.UTF_8));
            digest.part(parentDigest.getBytes(StandardCharsets.UTF_8));
            for (FileCopy file : files) {
                digest.part(Files.readAllBytes(beside(file.from())));
            }
            if (pip != null) {
                digest.part(Files.readAllBytes(beside(pip)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a file of the recipe " + name + " cannot be read: " + e.getMessage(), e);
        }
        return digest.hex();
    }

    private static GloveboxException invalid(TemplateName name, String what) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, "the recipe " + name + " " + what);
    }
}
