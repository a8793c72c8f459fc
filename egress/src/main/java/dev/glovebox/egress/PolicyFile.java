package dev.glovebox.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.DenyRule;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.egress.UpstreamProxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/// A network policy as a JSON file; `policy.schema.json` beside this class describes it. Unlike E2B's request a
/// file that says nothing of denyOut closes everything.
public final class PolicyFile {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(16)
                    .maxStringLength(Limits.NETWORK_HEADER_VALUE_CHARS_MAX * 2)
                    .maxDocumentLength(Limits.NETWORK_POLICY_BYTES_MAX)
                    .build())
            .build();

    private final JsonParser parser;
    private List<AllowRule> allowOut = List.of();
    private List<DenyRule> denyOut = List.of(DenyRule.parse(NetworkPolicy.ALL_TRAFFIC));
    private List<RequestRule> requests = List.of();
    private Set<TunnelName> tunnels = Set.of();
    private Optional<UpstreamProxy> proxy = Optional.empty();
    private NetworkLimits limits = NetworkLimits.DEFAULT;

    private PolicyFile(JsonParser parser) {
        this.parser = parser;
    }

    /// Reads one.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT, in words that name the field or the entry
    public static NetworkPolicy read(byte[] json) {
        if (json.length > Limits.NETWORK_POLICY_BYTES_MAX) {
            throw invalid("the policy has " + json.length + " bytes; the bound is " + Limits.NETWORK_POLICY_BYTES_MAX);
        }
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            NetworkPolicy policy = new PolicyFile(parser).policy();
            if (parser.nextToken() != null) {
                throw invalid("the policy goes on after its closing brace");
            }
            return policy;
        } catch (JacksonException e) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the policy cannot be read as JSON, line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr(),
                    e);
        }
    }

    /// The schema that files can name in `$schema`.
    public static String schema() {
        try (var in = PolicyFile.class.getResourceAsStream("policy.schema.json")) {
            if (in == null) {
                throw new IllegalStateException("the schema is missing in the product");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private NetworkPolicy policy() {
        fields("the policy", field -> {
            switch (field) {
                case "$schema", "description" -> text(field);
                case "allowOut" ->
                    allowOut = texts(field).stream().map(AllowRule::parse).toList();
                case "denyOut" ->
                    denyOut = texts(field).stream().map(DenyRule::parse).toList();
                case "rules" -> requests = requestRules();
                case "tunnels" -> tunnels = tunnelNames(texts(field));
                case "egressProxy" -> proxy = Optional.of(upstreamProxy());
                case "limits" -> limits = networkLimits();
                default -> throw unknown(field, "the policy", "allowOut, denyOut, rules, tunnels, egressProxy, limits");
            }
        });
        return new NetworkPolicy(allowOut, denyOut, requests, tunnels, proxy, limits);
    }

    private static Set<TunnelName> tunnelNames(List<String> names) {
        Set<TunnelName> tunnels = new HashSet<>();
        names.forEach(name -> tunnels.add(new TunnelName(name)));
        return tunnels;
    }

    private List<RequestRule> requestRules() {
        List<RequestRule> rules = new ArrayList<>();
        fields("rules", host -> {
            SequencedMap<String, HeaderTemplate> headers = new LinkedHashMap<>();
            expect(JsonToken.START_ARRAY, "the rule for a host is a list");
            int count = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (++count > 1) {
                    throw invalid("a host has one rule, with one transform");
                }
                fields("a rule", field -> {
                    if (!field.equals("transform")) {
                        throw unknown(field, "a rule", "transform");
                    }
                    transform(headers);
                });
            }
            rules.add(new RequestRule(HostPattern.parse(host), headers));
        });
        return rules;
    }

    private void transform(SequencedMap<String, HeaderTemplate> headers) {
        fields("transform", field -> {
            if (!field.equals("headers")) {
                throw unknown(field, "transform", "headers");
            }
            fields("headers", name -> headers.put(name, HeaderTemplate.parse(text("a header"))));
        });
    }

    private UpstreamProxy upstreamProxy() {
        @Nullable String[] texts = new @Nullable String[3];
        fields("egressProxy", field -> {
            switch (field) {
                case "address" -> texts[0] = text(field);
                case "username" -> texts[1] = text(field);
                case "password" -> texts[2] = text(field);
                default -> throw unknown(field, "egressProxy", "address, username, password");
            }
        });
        String address = texts[0];
        String user = texts[1];
        String password = texts[2];
        if (address == null) {
            throw invalid("egressProxy needs an address, as in proxy.example:1080");
        }
        if ((user == null) != (password == null)) {
            throw invalid("egressProxy needs both username and password, or neither");
        }
        return UpstreamProxy.parse(
                address,
                user == null || password == null
                        ? Optional.empty()
                        : Optional.of(new UpstreamProxy.Login(user, password)));
    }

    private NetworkLimits networkLimits() {
        long[] numbers = {
            NetworkLimits.DEFAULT.connections(), NetworkLimits.DEFAULT.connectionsPerSecond(), 0, 0,
        };
        fields("limits", field -> {
            switch (field) {
                case "connections" -> numbers[0] = number(field, Integer.MAX_VALUE);
                case "connectionsPerSecond" -> numbers[1] = number(field, Integer.MAX_VALUE);
                case "bytesPerSecond" -> numbers[2] = number(field, Long.MAX_VALUE);
                case "bytes" -> numbers[3] = number(field, Long.MAX_VALUE);
                default -> throw unknown(field, "limits", "connections, connectionsPerSecond, bytesPerSecond, bytes");
            }
        });
        return new NetworkLimits((int) numbers[0], (int) numbers[1], numbers[2], numbers[3]);
    }

    // ---- JSON

    /// Told of each field of an object; the parser stands at its value.
    private interface Field {
        void at(String name);
    }

    private void fields(String what, Field each) {
        expect(JsonToken.START_OBJECT, what + " is an object");
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            each.at(name);
        }
    }

    private List<String> texts(String field) {
        expect(JsonToken.START_ARRAY, field + " is a list of texts");
        List<String> texts = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (texts.size() > Limits.NETWORK_ENTRIES_MAX) {
                throw invalid(field + " has more than " + Limits.NETWORK_ENTRIES_MAX + " entries");
            }
            texts.add(text("an entry of " + field));
        }
        return texts;
    }

    private String text(String field) {
        expect(JsonToken.VALUE_STRING, field + " is a text");
        return parser.getString();
    }

    private long number(String field, long most) {
        expect(JsonToken.VALUE_NUMBER_INT, field + " is a whole number");
        long number;
        try {
            number = parser.getLongValue();
        } catch (JacksonException e) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, field + " is too large a number", e);
        }
        if (number < 0 || number > most) {
            throw invalid(field + ", " + number + ", is outside 0.." + most);
        }
        return number;
    }

    private void expect(JsonToken token, String otherwise) {
        if (parser.currentToken() != token) {
            throw invalid(otherwise);
        }
    }

    private static GloveboxException unknown(String field, String where, String known) {
        return invalid(
                "the field \"" + HostName.printable(field) + "\" of " + where + " is not known; there are: " + known);
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
