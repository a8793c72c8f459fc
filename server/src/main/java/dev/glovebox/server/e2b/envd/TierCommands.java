package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What commands mean in tiers that have interpreters and no programs. Clients send `/bin/bash -l -c COMMAND`; there is
/// no shell, so COMMAND is read as the words of one interpreter's command line.
final class TierCommands {
    private static final Set<String> SHELLS = Set.of("bash", "sh");
    private static final Set<String> INTERPRETERS = Set.of("python", "python3", "node", "js", "nodejs");

    private TierCommands() {}

    /// The command line to run.
    ///
    /// @throws ConnectFailure INVALID_ARGUMENT in words that name the tier
    static List<String> arguments(Tier tier, String cmd, List<String> args) {
        if (Tiers.isLinux(tier)) {
            List<String> all = new ArrayList<>(List.of(cmd));
            all.addAll(args);
            return all;
        }
        List<String> words = SHELLS.contains(lastPart(cmd)) ? ofShell(tier, args) : joined(cmd, args);
        String program = words.isEmpty() ? "" : lastPart(words.getFirst());
        if (!INTERPRETERS.contains(program) && Language.ofFileName(program).isEmpty()) {
            throw refused(tier, "it has no such program");
        }
        return words;
    }

    private static List<String> joined(String cmd, List<String> args) {
        List<String> all = new ArrayList<>(List.of(cmd));
        all.addAll(args);
        return all;
    }

    private static List<String> ofShell(Tier tier, List<String> args) {
        int at = 0;
        while (at < args.size() && (args.get(at).equals("-l") || args.get(at).equals("--login"))) {
            at++;
        }
        boolean isCommand = at + 2 == args.size()
                && (args.get(at).equals("-c") || args.get(at).equals("-lc"));
        if (!isCommand) {
            throw refused(tier, "it has no shell");
        }
        try {
            return ShellWords.split(args.getLast());
        } catch (GloveboxException e) {
            throw refused(tier, "it has no shell, and the command needs one: " + e.getMessage());
        }
    }

    /// The refusal of a command that a tier cannot do.
    static ConnectFailure refused(Tier tier, String why) {
        String known = tier == Tier.ISOLATE
                ? "'node -e CODE', 'node FILE', 'FILE.js', 'FILE.ts'"
                : "'python -c CODE', 'python FILE', 'python -m MODULE', 'node -e CODE', 'node FILE', 'FILE.wasm'";
        return ConnectFailure.invalid("the tier " + tier.word() + " cannot run this: " + why + ". It runs " + known
                + ", without operators of a shell; tiers with a shell and programs are gvisor and jail");
    }

    private static String lastPart(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
