package dev.glovebox.store;

import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.audit.AuditEvent;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/// Turns events into JSON objects with fixed keys in a fixed order. The text is pure ASCII without a control
/// character: the log is read in terminals, and what a guest named its file must not reach one. Not
/// thread-safe.
final class AuditEncoder {
    /// Room for the hash that is added behind the object.
    private static final int OBJECT_BYTES_MAX = Limits.AUDIT_RECORD_BYTES_MAX - AuditFormat.HASH_PART_BYTES;

    private static final int SUBJECT_CHARS_MAX = 256;

    /// How many details are kept, of how many characters each: tried in this order until the record fits. The
    /// last fits whatever the details are, for a character takes at most 6 bytes.
    private static final int[][] CUTS = {{64, 1024}, {32, 256}, {16, 64}, {8, 32}, {4, 16}};

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .characterEscapes(new AsciiEscapes())
            .build();

    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(1024);

    /// Where in the chain a line stands.
    record Place(long seq, String prev) {}

    byte[] event(Place place, AuditEvent event) {
        byte[] whole = object(place, event, Integer.MAX_VALUE, Integer.MAX_VALUE);
        for (int i = 0; whole.length > OBJECT_BYTES_MAX && i < CUTS.length; i++) {
            whole = object(place, event, CUTS[i][0], CUTS[i][1]);
        }
        return whole;
    }

    private byte[] object(Place place, AuditEvent event, int detailsMax, int charsMax) {
        Principal principal = event.principal();
        begin();
        try (JsonGenerator json = generator()) {
            start(json, place.seq(), event.at(), event.kind().name().toLowerCase(Locale.ROOT));
            json.writeNumberProperty("intent", event.intent());
            json.writeStringProperty("tenant", principal.tenant().value());
            json.writeStringProperty("credential", cut(principal.credential(), SUBJECT_CHARS_MAX));
            json.writeStringProperty("role", principal.role().name().toLowerCase(Locale.ROOT));
            json.writeStringProperty("verb", cut(event.verb(), SUBJECT_CHARS_MAX));
            json.writeStringProperty("subject", cut(event.subject(), SUBJECT_CHARS_MAX));
            json.writeObjectPropertyStart("details");
            details(json, event.details(), detailsMax, charsMax);
            json.writeEndObject();
            end(json, place.prev());
        }
        return buffer.toByteArray();
    }

    private static void details(JsonGenerator json, Map<String, String> details, int detailsMax, int charsMax) {
        Iterator<Map.Entry<String, String>> entries = details.entrySet().iterator();
        for (int i = 0; i < detailsMax && entries.hasNext(); i++) {
            Map.Entry<String, String> entry = entries.next();
            json.writeStringProperty(cut(entry.getKey(), charsMax), cut(entry.getValue(), charsMax));
        }
        if (charsMax < Integer.MAX_VALUE) {
            int left = Math.max(0, details.size() - detailsMax);
            json.writeStringProperty("cut", "the record was too long; " + left + " details are left out");
        }
    }

    byte[] segment(Place place, Instant at, int number) {
        begin();
        try (JsonGenerator json = generator()) {
            start(json, place.seq(), at, AuditFormat.KIND_SEGMENT);
            json.writeNumberProperty("format", AuditFormat.VERSION);
            json.writeNumberProperty("segment", number);
            end(json, place.prev());
        }
        return buffer.toByteArray();
    }

    /// What a seal says of its segment.
    record Seal(int segment, long firstSeq, long records, String root, String key, String signature) {}

    byte[] seal(Place place, Instant at, Seal seal) {
        begin();
        try (JsonGenerator json = generator()) {
            start(json, place.seq(), at, AuditFormat.KIND_SEAL);
            json.writeNumberProperty("segment", seal.segment());
            json.writeNumberProperty("firstSeq", seal.firstSeq());
            json.writeNumberProperty("records", seal.records());
            json.writeStringProperty("root", seal.root());
            json.writeStringProperty("key", seal.key());
            json.writeStringProperty("signature", seal.signature());
            end(json, place.prev());
        }
        return buffer.toByteArray();
    }

    private void begin() {
        buffer.reset();
    }

    private JsonGenerator generator() {
        return JSON.createGenerator(ObjectWriteContext.empty(), buffer);
    }

    private static void start(JsonGenerator json, long seq, Instant at, String kind) {
        json.writeStartObject();
        json.writeNumberProperty("seq", seq);
        json.writeStringProperty("at", at.truncatedTo(ChronoUnit.MICROS).toString());
        json.writeStringProperty("kind", kind);
    }

    private static void end(JsonGenerator json, String prev) {
        json.writeStringProperty("prev", prev);
        json.writeEndObject();
    }

    private static String cut(String text, int charsMax) {
        return text.length() <= charsMax
                ? text
                : text.substring(0, charsMax) + "... (cut, " + text.length() + " characters)";
    }

    /// Escapes DEL besides what JSON demands; everything beyond ASCII is escaped by the generator.
    private static final class AsciiEscapes extends CharacterEscapes {
        private static final long serialVersionUID = 1L;
        private static final int DELETE = 0x7f;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] escapes = standardAsciiEscapesForJSON();
            escapes[DELETE] = ESCAPE_STANDARD;
            return escapes;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return null;
        }
    }
}
