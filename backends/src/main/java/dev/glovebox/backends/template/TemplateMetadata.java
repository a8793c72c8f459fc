package dev.glovebox.backends.template;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is known of an image; lies beside it as `<digest>.json`. No fact of the machine that built it is in it.
///
/// @param name what it was built as; the index of names says what it is called now
/// @param digest sha256 of the image
/// @param source `recipe`, `directory` or `oci` and where from
/// @param recipeDigest names recipe, files and parent; null for a template that was made without a recipe
/// @param ociDigest of the image that it was made from, or null
/// @param packages name to version: `deb:bash`, `pip:numpy`, `npm:typescript`
/// @param user who runs things in a sandbox
public record TemplateMetadata(
        TemplateName name,
        String description,
        String digest,
        Instant created,
        String source,
        @Nullable String recipeDigest,
        @Nullable String parentDigest,
        @Nullable String ociDigest,
        long bytes,
        Map<String, String> env,
        String user,
        String workdir,
        List<String> start,
        Map<String, String> packages) {

    public TemplateMetadata {
        env = Map.copyOf(env);
        start = List.copyOf(start);
        packages = Map.copyOf(packages);
    }

    /// As JSON, with the same keys as the record has components; lists of names in their order.
    public byte[] json() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("name", name.value());
        values.put("description", description);
        values.put("digest", digest);
        values.put("created", created.toString());
        values.put("source", source);
        values.put("recipeDigest", recipeDigest);
        values.put("parentDigest", parentDigest);
        values.put("ociDigest", ociDigest);
        values.put("bytes", bytes);
        values.put("env", new TreeMap<>(env));
        values.put("user", user);
        values.put("workdir", workdir);
        values.put("start", start);
        values.put("packages", new TreeMap<>(packages));
        return TemplateJson.write(values);
    }

    /// Reads one.
    ///
    /// @throws IllegalArgumentException if it is none
    static TemplateMetadata read(byte[] text) {
        TemplateJson json = TemplateJson.read(text, "the note beside an image");
        return new TemplateMetadata(
                new TemplateName(json.required("name")),
                json.text("description", ""),
                json.required("digest"),
                Instant.parse(json.required("created")),
                json.text("source", ""),
                json.text("recipeDigest"),
                json.text("parentDigest"),
                json.text("ociDigest"),
                json.number("bytes"),
                json.textMap("env"),
                json.text("user", "root"),
                json.text("workdir", "/"),
                json.texts("start"),
                json.textMap("packages"));
    }
}
