package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A template as E2B's clients name it: `name` or `name:tag`, where a tag is a tier.
///
/// @param name without the tag
/// @param tier what the tag says; empty if there is none
record TemplateName(String name, Optional<Tier> tier) {
    /// Names that stand for a Linux template of another name.
    private static final Map<String, String> ALIASES =
            Map.of("code-interpreter-v1", "code", "code-interpreter", "code");
    /// Names that the tiers without Linux know, because every client begins with them.
    private static final Set<String> OF_ALL_TIERS = Set.of("base", "code", "code-interpreter-v1", "code-interpreter");

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    /// Tiers that can be asked for by a tag.
    private static final List<Tier> TIERS = List.of(Tier.WASM, Tier.ISOLATE, Tier.JAIL, Tier.GVISOR);

    /// Tiers that start from a template, strongest first.
    static final List<Tier> LINUX = List.of(Tier.GVISOR, Tier.JAIL);

    /// Reads a name.
    static TemplateName of(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        if (!NAME.matcher(name).matches()) {
            throw notFound(name);
        }
        return new TemplateName(name, colon < 0 ? Optional.empty() : Optional.of(tier(text.substring(colon + 1))));
    }

    /// The tier of a word.
    static Tier tier(String word) {
        return Tier.ofWord(word)
                .filter(TIERS::contains)
                .orElseThrow(() -> ControlError.invalid("Unknown tag '" + printable(word)
                        + "' of a template: a tag is a tier, one of "
                        + TIERS.stream().map(Tier::word).collect(Collectors.joining(", "))));
    }

    static ControlError notFound(String name) {
        return new ControlError(404, "template '" + printable(name) + "' not found");
    }

    private static String printable(String name) {
        return name.substring(0, Math.min(name.length(), 64)).replaceAll("[^A-Za-z0-9._/-]", "?");
    }

    /// The Linux template that it starts from.
    String linux() {
        return ALIASES.getOrDefault(name, name);
    }

    /// All names of the same template.
    List<String> aliases() {
        return OF_ALL_TIERS.stream()
                .filter(other -> ALIASES.getOrDefault(other, other).equals(linux()))
                .sorted()
                .toList();
    }

    boolean isOfAllTiers() {
        return OF_ALL_TIERS.contains(name);
    }

    /// What clients see as its id.
    String text() {
        return name + tier.map(asked -> ":" + asked.word()).orElse("");
    }

    /// Which interpreter to have ready in a tier.
    static Language language(Tier tier) {
        return tier == Tier.ISOLATE ? Language.JAVASCRIPT : Language.PYTHON;
    }

    /// Whether a filter that names a template means this one: by name it means all its tiers.
    boolean matches(String filter) {
        return Arrays.asList(text(), name).contains(filter) || aliases().contains(filter);
    }
}
