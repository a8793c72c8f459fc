package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The file of known failures is about scenarios that exist.
class BaselineIT {
    @Test
    void everyKnownFailureNamesAScenarioAndAReason() throws ClassNotFoundException {
        for (String name : Baseline.known().keySet()) {
            String[] parts = name.split("\\.", 2);
            assertThat(Baseline.known().get(name)).as("the reason of " + name).isNotBlank();
            List<String> scenarios = new ArrayList<>();
            Class<?> suite = Class.forName(getClass().getPackageName() + "." + parts[0]);
            for (Class<?> type = suite; type != null; type = type.getSuperclass()) {
                for (Method method : type.getDeclaredMethods()) {
                    scenarios.add(method.getName());
                }
            }
            assertThat(scenarios).as(name).contains(parts[1]);
        }
    }
}
