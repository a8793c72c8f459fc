package dev.glovebox.server.api;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// As much of JSON Schema as our description uses.
public final class SchemaCheck {
    private final JsonNode document;

    public SchemaCheck(JsonNode document) {
        this.document = document;
    }

    /// Where a value is not as the schema of that name says.
    public List<String> errors(String schema, JsonNode value) {
        List<String> errors = new ArrayList<>();
        check(document.get("components").get("schemas").get(schema), value, "$", errors);
        return errors;
    }

    /// Where a value is not as a schema says.
    public List<String> errors(JsonNode schema, JsonNode value) {
        List<String> errors = new ArrayList<>();
        check(schema, value, "$", errors);
        return errors;
    }

    private void check(JsonNode schema, JsonNode value, String where, List<String> errors) {
        if (schema.has("$ref")) {
            check(document.at(schema.get("$ref").asString().substring(1)), value, where, errors);
            return;
        }
        String type = schema.get("type").asString();
        boolean fits = switch (type) {
            case "string" -> value.isString();
            case "integer" -> value.isIntegralNumber();
            case "boolean" -> value.isBoolean();
            case "array" -> value.isArray();
            default -> value.isObject();
        };
        if (!fits) {
            errors.add(where + " is not of type " + type);
            return;
        }
        if (type.equals("array")) {
            value.forEach(element -> check(schema.get("items"), element, where + "[]", errors));
        } else if (type.equals("object")) {
            checkObject(schema, value, where, errors);
        }
    }

    private void checkObject(JsonNode schema, JsonNode value, String where, List<String> errors) {
        if (schema.has("required")) {
            schema.get("required").forEach(name -> {
                if (!value.has(name.asString())) {
                    errors.add(where + " lacks " + name.asString());
                }
            });
        }
        value.properties().forEach(field -> {
            String place = where + "." + field.getKey();
            if (schema.has("properties") && schema.get("properties").has(field.getKey())) {
                check(schema.get("properties").get(field.getKey()), field.getValue(), place, errors);
            } else if (schema.get("additionalProperties").isObject()) {
                check(schema.get("additionalProperties"), field.getValue(), place, errors);
            } else {
                errors.add(place + " is not in the schema");
            }
        });
    }
}
