package dev.glovebox.server.api;

import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.Problem;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The OpenAPI 3.1 description of the routes. Schemas come from the wire records themselves.
final class OpenApi {
    private static final Pattern PARAMETER = Pattern.compile("\\{([a-z]+)}");

    private final Map<String, Object> schemas = new TreeMap<>();

    private OpenApi() {}

    /// The route that serves a description.
    static Route route(byte[] description) {
        return new Route(
                "GET",
                "/openapi.json",
                "This description",
                Access.PUBLIC,
                List.of(),
                null,
                new Answer.Text("application/json"),
                call -> call.send(200, "application/json", description));
    }

    static Map<String, Object> describe(List<Route> routes) {
        OpenApi description = new OpenApi();
        Map<String, Object> paths = new LinkedHashMap<>();
        List<Route> all = new ArrayList<>(routes);
        all.add(route(new byte[0]));
        for (Route route : all) {
            @SuppressWarnings("unchecked")
            Map<String, Object> item =
                    (Map<String, Object>) paths.computeIfAbsent(route.path(), _ -> new LinkedHashMap<>());
            item.put(route.method().toLowerCase(Locale.ROOT), description.operation(route));
        }
        Map<String, Object> components = new LinkedHashMap<>();
        description.schema(Problem.class);
        components.put("schemas", description.schemas);
        components.put("securitySchemes", securitySchemes());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put(
                "info",
                Map.of(
                        "title", "Glovebox",
                        "version", "1",
                        "description", "Runs code that nobody should have to trust."));
        document.put("security", List.of(Map.of("bearer", List.of()), Map.of("apiKey", List.of())));
        document.put("paths", paths);
        document.put("components", components);
        return document;
    }

    private static Map<String, Object> securitySchemes() {
        return Map.of(
                "bearer", Map.of("type", "http", "scheme", "bearer"),
                "apiKey", Map.of("type", "apiKey", "in", "header", "name", "X-API-KEY"));
    }

    private Map<String, Object> operation(Route route) {
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("operationId", operationId(route));
        operation.put("summary", route.summary());
        if (route.access() == Access.PUBLIC) {
            operation.put("security", List.of());
        }
        List<Object> parameters = parameters(route);
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        Class<? extends Record> request = route.request();
        if (request != null) {
            operation.put(
                    "requestBody",
                    Map.of("required", true, "content", Map.of("application/json", Map.of("schema", schema(request)))));
        } else if (route.method().equals("PUT")) {
            operation.put(
                    "requestBody", Map.of("required", true, "content", Map.of("application/octet-stream", Map.of())));
        }
        Map<String, Object> responses = new LinkedHashMap<>();
        success(route.answer(), responses);
        responses.put(
                "default",
                Map.of(
                        "description",
                        "a problem (RFC 9457)",
                        "content",
                        Map.of(Problems.MEDIA_TYPE, Map.of("schema", schema(Problem.class)))));
        operation.put("responses", responses);
        return operation;
    }

    private void success(Answer answer, Map<String, Object> responses) {
        switch (answer) {
            case Answer.Json(int status, Class<? extends Record> type) ->
                responses.put(
                        Integer.toString(status), response(Map.of("application/json", Map.of("schema", schema(type)))));
            case Answer.Streamable(Class<? extends Record> type) -> {
                Map<String, Object> content = new LinkedHashMap<>();
                content.put("application/json", Map.of("schema", schema(type)));
                content.put(EventSink.MEDIA_TYPE, Map.of("schema", Map.of("type", "string")));
                responses.put("200", response(content));
            }
            case Answer.Events(Class<? extends Record> type) -> {
                schema(type);
                responses.put(
                        "200", response(Map.of(EventSink.MEDIA_TYPE, Map.of("schema", Map.of("type", "string")))));
            }
            case Answer.Bytes _ -> responses.put("200", response(Map.of("application/octet-stream", Map.of())));
            case Answer.Text(String mediaType) -> responses.put("200", response(Map.of(mediaType, Map.of())));
            case Answer.Upgrade _ ->
                responses.put("101", Map.of("description", "from here on the connection is the port's"));
            case Answer.Nothing _ -> responses.put("204", Map.of("description", "done"));
        }
    }

    private static Map<String, Object> response(Map<String, Object> content) {
        return Map.of("description", "success", "content", content);
    }

    private static List<Object> parameters(Route route) {
        List<Object> parameters = new ArrayList<>();
        Matcher inPath = PARAMETER.matcher(route.path());
        while (inPath.find()) {
            parameters.add(Map.of(
                    "name", inPath.group(1), "in", "path", "required", true, "schema", Map.of("type", "string")));
        }
        for (Route.QueryParameter parameter : route.query()) {
            Map<String, Object> text = Map.of("type", "string");
            parameters.add(Map.of(
                    "name", parameter.name(),
                    "in", "query",
                    "required", parameter.required(),
                    "description", parameter.description(),
                    "schema", parameter.repeated() ? Map.of("type", "array", "items", text) : text));
        }
        return parameters;
    }

    /// `POST /v1/sandboxes/{id}/lease` is `postSandboxesByIdLease`.
    private static String operationId(Route route) {
        StringBuilder id = new StringBuilder(route.method().toLowerCase(Locale.ROOT));
        for (String part : route.path().replace(".json", "").split("/", -1)) {
            if (!part.isEmpty() && !part.equals("v1")) {
                String word = part.startsWith("{") ? "by-" + part.substring(1, part.length() - 1) : part;
                for (String piece : word.split("-", -1)) {
                    id.append(piece.substring(0, 1).toUpperCase(Locale.ROOT)).append(piece.substring(1));
                }
            }
        }
        return id.toString();
    }

    private Map<String, Object> schema(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            return generic.getRawType() == List.class
                    ? Map.of("type", "array", "items", schema(arguments[0]))
                    : Map.of("type", "object", "additionalProperties", schema(arguments[1]));
        }
        if (type == String.class) {
            return Map.of("type", "string");
        }
        if (type == long.class || type == Long.class) {
            return Map.of("type", "integer", "format", "int64");
        }
        if (type == int.class || type == Integer.class) {
            return Map.of("type", "integer", "format", "int32");
        }
        if (type == boolean.class || type == Boolean.class) {
            return Map.of("type", "boolean");
        }
        Class<?> record = (Class<?>) type;
        if (schemas.putIfAbsent(record.getSimpleName(), Map.of()) == null) {
            schemas.put(record.getSimpleName(), recordSchema(record));
        }
        return Map.of("$ref", "#/components/schemas/" + record.getSimpleName());
    }

    private Map<String, Object> recordSchema(Class<?> record) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<Object> required = new ArrayList<>();
        for (RecordComponent component : record.getRecordComponents()) {
            properties.put(RecordJson.nameOf(component), schema(component.getGenericType()));
            if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(RecordJson.nameOf(component));
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("additionalProperties", false);
        return schema;
    }
}
