package dev.glovebox.sdk;

import dev.glovebox.wire.JsonName;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a record consists of, found once by reflection. Immutable.
final class RecordShape {
    private static final ClassValue<RecordShape> SHAPES = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };

    private final Constructor<?> constructor;
    private final List<Component> components;
    private final Map<String, Component> byName = new HashMap<>();

    private RecordShape(Class<?> type) {
        RecordComponent[] parts = type.getRecordComponents();
        if (parts == null) {
            throw new IllegalArgumentException(type + " is not a record");
        }
        Class<?>[] types = new Class<?>[parts.length];
        List<Component> found = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            types[i] = parts[i].getType();
            Component component = new Component(i, nameOf(parts[i]), parts[i].getGenericType(), parts[i]);
            found.add(component);
            byName.put(component.name(), component);
        }
        components = List.copyOf(found);
        try {
            constructor = type.getDeclaredConstructor(types);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    static String nameOf(RecordComponent component) {
        JsonName name = component.getAnnotation(JsonName.class);
        return name == null ? component.getName() : name.value();
    }

    static RecordShape of(Class<?> type) {
        return SHAPES.get(type);
    }

    List<Component> components() {
        return components;
    }

    @Nullable
    Component find(String name) {
        return byName.get(name);
    }

    List<String> names() {
        return components.stream().map(Component::name).toList();
    }

    Object create(@Nullable Object[] values) {
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /// One component of a record.
    record Component(int index, String name, Type type, RecordComponent declared) {
        boolean nullable() {
            return declared.getAnnotatedType().isAnnotationPresent(Nullable.class);
        }

        @Nullable
        Object of(Record value) {
            Method accessor = declared.getAccessor();
            try {
                return accessor.invoke(value);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
