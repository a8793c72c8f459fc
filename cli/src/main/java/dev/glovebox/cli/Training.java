package dev.glovebox.cli;

import java.util.List;

/// Does once what command lines do, so that their AOT cache knows it. Called where Glovebox is built, never by
/// users.
final class Training {
    private Training() {}

    /// Runs them.
    ///
    /// @param arguments the home of a server that runs, and a home without one
    public static void main(String[] arguments) {
        String served = arguments[0];
        String embedded = arguments[1];
        for (String home : List.of(embedded, served)) {
            Main.execute("run", "--home", home, "-c", "print(1)");
            Main.execute("run", "--home", home, "-c", "1/0");
            Main.execute("run", "--home", home, "--lang", "javascript", "-c", "console.log(1)");
            Main.execute("run", "--home", home, "--json", "-c", "print(1)");
        }
        Main.execute("ps", "--home", served);
        Main.execute("run", "--help");
        System.exit(0);
    }
}
