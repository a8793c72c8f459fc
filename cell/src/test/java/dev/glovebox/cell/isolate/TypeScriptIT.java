package dev.glovebox.cell.isolate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import org.junit.jupiter.api.Test;

class TypeScriptIT {
    private static final long MEMORY = 128 * 1024 * 1024;

    @Test
    void blanksTypesInPlace() {
        String stripped = TestIsolates.TYPE_SCRIPT.strip("let x: number = 1 as number;", "a.ts");
        assertThat(stripped).isEqualTo("let x         = 1          ;");
    }

    @Test
    void rewritesWhatIsMoreThanTypes() {
        assertThat(TestIsolates.TYPE_SCRIPT.strip("enum E { A = 3 } namespace N { export let z = 1 }", "a.ts"))
                .contains("E[E[\"A\"] = 3] = \"A\"")
                .contains("N.z = 1");
        assertThat(TestIsolates.TYPE_SCRIPT.strip("class P { constructor(private x: number) {} }", "a.ts"))
                .contains("this.x = x");
    }

    @Test
    void pointsAtASyntaxError() {
        assertThatThrownBy(() -> TestIsolates.TYPE_SCRIPT.strip("let a = 1;\nlet b: string = ;", "a.ts"))
                .isInstanceOfSatisfying(
                        Modules.Refused.class,
                        refused -> assertThat(refused.reply)
                                .isEqualTo(
                                        "!SyntaxError\0Expression expected\0\0a.ts:2\nlet b: string = ;\n                ^"));
    }

    @Test
    void refusesNestingThatWouldTakeTheStackAndWorksOn() {
        TestIsolates.with(isolate -> {
            assertThat(isolate.run("deep.ts", "[".repeat(200_000))).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.err()).contains("SyntaxError");
        });
        assertThat(TestIsolates.TYPE_SCRIPT.strip("type A = 1", "a.ts")).isBlank();
    }

    @Test
    void runsProgramsAndCells() {
        TestIsolates.with(Language.JAVASCRIPT, MEMORY, isolate -> {
            isolate.run(
                    "main.ts", "interface A { n: number } const a = { n: 4 } satisfies A; console.log(a.n as number)");
            assertThat(isolate.err()).isEmpty();
            assertThat(isolate.out()).isEqualTo("4\n");
        });
        TestIsolates.with(Language.TYPESCRIPT, MEMORY, isolate -> {
            isolate.interpreter.openContext("main", GuestPath.HOME);
            isolate.execute("enum E { A = 3, B } const f = <T,>(x: T): T => x");
            isolate.execute("f<number>(E.B)");
            assertThat(isolate.result()).isEqualTo("4");
            assertThat(isolate.execute("let s: = 1")).isEqualTo(new Outcome.Exited(1));
            assertThat(isolate.errors.getFirst().name()).isEqualTo("SyntaxError");
        });
    }
}
