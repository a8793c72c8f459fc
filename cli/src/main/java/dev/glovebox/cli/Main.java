package dev.glovebox.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// The `glovebox` command. A call looks only at the verb that it names, because describing all of them to the
/// parser costs more than most calls do.
public final class Main {
    /// A refusal by us or a failure of ours; what the guest itself exits with is passed through.
    static final int FAILED = 125;

    static final int USAGE = 2;

    /// What a shell says of a program whose reader went away: 128 and SIGPIPE.
    static final int BROKEN_PIPE = 141;

    private static final Set<String> HELP = Set.of("help", "--help", "-h");

    private static final Map<String, Supplier<Callable<Integer>>> VERBS = Map.ofEntries(
            Map.entry("run", RunVerb::new),
            Map.entry("serve", ServeVerb::new),
            Map.entry("doctor", DoctorVerb::new),
            Map.entry("ps", PsVerb::new),
            Map.entry("create", CreateVerb::new),
            Map.entry("exec", ExecVerb::new),
            Map.entry("cp", CpVerb::new),
            Map.entry("forward", ForwardVerb::new),
            Map.entry("net", NetVerb::new),
            Map.entry("kill", KillVerb::new),
            Map.entry("audit", AuditVerb::new),
            Map.entry("key", KeyVerb::new),
            Map.entry("secret", SecretVerb::new),
            Map.entry("tunnel", TunnelVerb::new),
            Map.entry("policy", PolicyVerb::new),
            Map.entry("template", TemplateVerb::new),
            Map.entry("trust", TrustVerb::new),
            Map.entry("completion", CompletionVerb::new),
            Map.entry("version", VersionVerb::new));

    static final List<String> ORDER = List.of(
            "run",
            "serve",
            "doctor",
            "create",
            "ps",
            "exec",
            "cp",
            "forward",
            "net",
            "kill",
            "audit",
            "key",
            "secret",
            "tunnel",
            "policy",
            "template",
            "trust",
            "completion",
            "version");

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    /// Does what the arguments say, and returns the exit status.
    static int execute(String... arguments) {
        if (arguments.length > 0 && HELP.contains(arguments[0])) {
            return help(arguments);
        }
        if (arguments.length > 0 && arguments[0].equals("--version")) {
            return execute("version");
        }
        boolean namesOne = arguments.length > 0 && VERBS.containsKey(arguments[0]);
        CommandLine line = commandLine(namesOne ? List.of(arguments[0]) : ORDER);
        return line.execute(arguments);
    }

    /// `glovebox help`, `glovebox help VERB`, `glovebox --help`.
    private static int help(String... arguments) {
        if (arguments.length > 1 && VERBS.containsKey(arguments[1])) {
            return execute(arguments[1], "--help");
        }
        Messages.say(commandLine(ORDER).getUsageMessage());
        return arguments.length > 1 ? USAGE : 0;
    }

    /// The command with some of its verbs.
    static CommandLine commandLine(List<String> verbs) {
        CommandSpec root = CommandSpec.wrapWithoutInspection(new Root());
        root.name("glovebox");
        root.usageMessage(new UsageMessageSpec()
                .description("Runs code that nobody should have to trust.")
                .footer("", "'glovebox VERB --help' tells more of each.")
                .synopsisSubcommandLabel("VERB"));
        CommandLine line = new CommandLine(root);
        for (String verb : verbs) {
            line.addSubcommand(verb, verb(verb).get());
        }
        line.setParameterExceptionHandler((e, _) -> Messages.usage(e));
        line.setExecutionExceptionHandler((e, _, _) -> Messages.failure(e));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    private static Supplier<Callable<Integer>> verb(String name) {
        Supplier<Callable<Integer>> verb = VERBS.get(name);
        if (verb == null) {
            throw new IllegalArgumentException(name.toLowerCase(Locale.ROOT));
        }
        return verb;
    }

    /// Without a verb: says which there are.
    private static final class Root implements Callable<Integer> {
        @Override
        public Integer call() {
            Messages.say(commandLine(ORDER).getUsageMessage());
            return USAGE;
        }
    }
}
