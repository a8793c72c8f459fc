package dev.glovebox.backends.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateRecipeTest {
    @TempDir
    private Path directory;

    private TemplateRecipe recipe(String json) throws IOException {
        return TemplateRecipe.read(Files.writeString(directory.resolve("recipe.json"), json));
    }

    private static void refused(ThrowingCallable action, String... words) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContainingAll(words);
    }

    @Test
    void readsEverything() throws IOException {
        Files.writeString(directory.resolve("requirements.txt"), "numpy==2.3.5\n");
        Files.writeString(directory.resolve("a"), "content");
        TemplateRecipe recipe = recipe("""
                {"name": "mine", "parent": "code", "description": "d", "packages": ["git", "libc6=2.36-9"],
                 "pip": "requirements.txt", "npm": ["@scope/x@1.2.3"], "network": true, "env": {"A": "b"},
                 "files": [{"from": "requirements.txt", "to": "/etc/r", "mode": "0600"}, {"from": "a", "to": "/b"}],
                 "run": ["true"], "user": "root", "workdir": "/", "start": ["sh"]}
                """);
        assertThat(recipe.name().value()).isEqualTo("mine");
        assertThat(recipe.parent()).isEqualTo(new TemplateName("code"));
        assertThat(recipe.packages()).containsExactly("git", "libc6=2.36-9");
        assertThat(recipe.files().getLast()).isEqualTo(new TemplateRecipe.FileCopy("a", "/b", "0644"));
        assertThat(recipe.env()).containsEntry("A", "b");
        assertThat(recipe.network()).isTrue();
        assertThat(recipe.start()).containsExactly("sh");
    }

    @Test
    void theDirectoryOfARecipeIsAsGoodAsItsFile() throws IOException {
        recipe("{\"name\": \"mine\", \"suite\": \"bookworm\"}");
        assertThat(TemplateRecipe.read(directory).suite()).isEqualTo("bookworm");
    }

    @Test
    void refusesWhatMeansNothing() {
        refused(() -> recipe("[]"), "recipe.json", "object");
        refused(() -> recipe("{\"name\": \"x\""), "no JSON");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"pakages\": []}"), "pakages", "packages");
        refused(() -> recipe("{\"suite\": \"bookworm\"}"), "needs \"name\"");
        refused(() -> recipe("{\"name\": \"../x\", \"suite\": \"s\"}"), "../x");
        refused(() -> recipe("{\"name\": \"x\"}"), "neither", "parent");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"parent\": \"p\"}"), "both");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"--help\"}"), "--help", "bookworm");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"packages\": [\"-o Dir=/\"]}"), "-o Dir=/");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"npm\": [\"typescript\"]}"), "version");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"env\": {\"1\": \"\"}}"), "variables");
        refused(() -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"packages\": \"git\"}"), "list");
        refused(
                () -> recipe("{\"name\": \"x\", \"suite\": \"s\", \"files\": [{\"from\": \"a\", \"to\": \"b\"}]}"),
                "absolute");
        refused(() -> TemplateRecipe.read(directory.resolve("none.json")), "none.json");
    }

    @Test
    void filesLieBesideTheRecipe() throws IOException {
        TemplateRecipe recipe = recipe("{\"name\": \"mine\", \"suite\": \"bookworm\"}");
        Files.writeString(directory.resolve("file"), "content");
        assertThat(recipe.beside("file")).hasContent("content");
        refused(() -> recipe.beside("../file"), "../file");
        refused(() -> recipe.beside("/etc/passwd"), "/etc/passwd");
        refused(() -> recipe.beside("missing"), "missing");
    }

    @Test
    void whatARecipeNamesIsMissedBeforeAnythingIsDone() {
        refused(
                () -> recipe("{\"name\": \"m\", \"suite\": \"s\", \"files\": [{\"from\": \"gone\", \"to\": \"/f\"}]}"),
                "the recipe m names the file 'gone', which does not lie beside it");
        refused(() -> recipe("{\"name\": \"m\", \"suite\": \"s\", \"pip\": \"gone.txt\"}"), "'gone.txt'");
    }

    @Test
    void theDigestNamesRecipeFilesAndParent() throws IOException {
        String json = "{\"name\": \"m\", \"parent\": \"p\", \"files\": [{\"from\": \"file\", \"to\": \"/f\"}]}";
        Files.writeString(directory.resolve("file"), "one");
        String first = recipe(json).digest("a");
        assertThat(recipe(json).digest("a")).isEqualTo(first).hasSize(64);
        assertThat(recipe(json).digest("b")).isNotEqualTo(first);
        Files.writeString(directory.resolve("file"), "two");
        assertThat(recipe(json).digest("a")).isNotEqualTo(first);
    }

    @Test
    void theDigestDoesNotKnowWhereTheRecipeLies(@TempDir Path elsewhere) throws IOException {
        String json = "{\"name\": \"m\", \"suite\": \"bookworm\"}";
        Path copy = Files.writeString(elsewhere.resolve("recipe.json"), json);
        assertThat(TemplateRecipe.read(copy).digest("")).isEqualTo(recipe(json).digest(""));
    }
}
