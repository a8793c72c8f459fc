package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    private static Launch wasm(String... argv) {
        return CommandLine.parse(List.of(argv), Tier.WASM);
    }

    @Test
    void understandsPythonWithCode() {
        Launch launch = wasm("/usr/bin/python3", "-u", "-c", "print(1)", "a", "-b");
        assertThat(launch.language()).isEqualTo(Language.PYTHON);
        assertThat(launch.arguments()).containsExactly("-c", "a", "-b");
        assertThat(launch.source()).isInstanceOfSatisfying(Launch.Source.Given.class, given -> {
            assertThat(given.code()).asString().isEqualTo("print(1)");
            assertThat(given.fileName()).isEqualTo("<string>");
        });
    }

    @Test
    void understandsFilesModulesAndStandardInput() {
        assertThat(wasm("python", "x.py", "1").source()).isEqualTo(new Launch.Source.File("x.py"));
        assertThat(wasm("python", "-m", "json.tool").source()).isEqualTo(new Launch.Source.Module("json.tool"));
        assertThat(wasm("python").source()).isEqualTo(new Launch.Source.StandardInput());
        assertThat(wasm("python", "-", "a").arguments()).containsExactly("-", "a");
        assertThat(wasm("node", "-e", "1").language()).isEqualTo(Language.JAVASCRIPT);
        assertThat(wasm("bin/tool.wasm", "x").language()).isEqualTo(Language.WASM);
        assertThat(CommandLine.parse(List.of("node", "a.ts"), Tier.ISOLATE).language())
                .isEqualTo(Language.TYPESCRIPT);
    }

    @Test
    void refusesProgramsAndNamesTheTiersThatRunThem() {
        assertThatThrownBy(() -> wasm("bash", "-c", "ls"))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining("gvisor, microvm and jail");
        assertThatThrownBy(() -> wasm("python", "-x", "a"))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
    }

    @Test
    void refusesALanguageThatTheTierDoesNotHaveAndNamesTheOneThatHas() {
        assertThatThrownBy(() -> wasm("node", "a.ts"))
                .hasMessage("tier wasm does not run typescript; tier isolate does");
        assertThatThrownBy(() -> CommandLine.parse(List.of("python", "-c", ""), Tier.ISOLATE))
                .hasMessage("tier isolate does not run python; tier wasm does");
    }

    @Test
    void refusesWhatIsIncomplete() {
        for (List<String> argv :
                List.of(List.<String>of(), List.of(""), List.of("python", "-c"), List.of("node", "-e"))) {
            assertThatThrownBy(() -> CommandLine.parse(argv, Tier.WASM))
                    .isInstanceOfSatisfying(
                            GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }
}
