package dev.glovebox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateVerbTest {
    @TempDir
    private Path home;

    private int template(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "template";
        all[1] = "--home";
        all[2] = home.toString();
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return Main.execute(all);
    }

    @Test
    void aNewHomeHasNoTemplates() {
        assertThat(template("list")).isZero();
        assertThat(template("list", "--json")).isZero();
        assertThat(template("rm", "--unused")).isZero();
    }

    @Test
    void refusesWhatIsNotThereAndWhatHasNoName() {
        assertThat(template("show", "nothing")).isEqualTo(Main.USAGE);
        assertThat(template("rm", "nothing")).isEqualTo(Main.USAGE);
        assertThat(template("pin")).isEqualTo(Main.USAGE);
        assertThat(template("show", "../x")).isEqualTo(Main.USAGE);
        assertThat(template("build", "x", "--from-directory", "/", "--from-oci", "y"))
                .isEqualTo(Main.USAGE);
        assertThat(template("paint")).isEqualTo(Main.USAGE);
    }
}
