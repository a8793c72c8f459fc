package dev.glovebox.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/// Knows the failures that we live with: `baseline.txt`, a line each, `Suite.scenario: why`. Such a scenario is
/// shown as skipped with its reason when it fails, and fails when it passes, so that the file never holds what is
/// over.
public final class Baseline implements InvocationInterceptor {
    private static final Map<String, String> KNOWN = read();

    private static Map<String, String> read() {
        Map<String, String> known = new LinkedHashMap<>();
        try (InputStream in = Baseline.class.getResourceAsStream("baseline.txt")) {
            if (in == null) {
                throw new IllegalStateException("baseline.txt is not there");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> {
                        int colon = line.indexOf(": ");
                        if (colon < 0 || !line.substring(0, colon).matches("\\w+\\.\\w+")) {
                            throw new IllegalStateException(
                                    "a line of baseline.txt is 'Suite.scenario: why', not: " + line);
                        }
                        known.put(line.substring(0, colon), line.substring(colon + 2));
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }

    static Map<String, String> known() {
        return Map.copyOf(KNOWN);
    }

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        String name = method.getTargetClass().getSimpleName() + "."
                + method.getExecutable().getName();
        String why = KNOWN.get(name);
        if (why == null) {
            invocation.proceed();
            return;
        }
        try {
            invocation.proceed();
        } catch (Exception | AssertionError e) {
            throw new TestAbortedException("a known failure: " + why, e);
        }
        throw new AssertionError(name + " passes now: take it out of baseline.txt");
    }
}
