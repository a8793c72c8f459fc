package dev.glovebox.backends.template;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes OCI images as a stranger might: layers with whatever entries a test wants, checked by no tool.
final class OciLayouts {
    private static final int BLOCK = 512;

    private OciLayouts() {}

    /// One entry of a layer.
    ///
    /// @param type as tar has it: 0 file, 1 hard link, 2 symbolic link, 3 character device, 5 directory, 6 pipe
    record Entry(String name, char type, String target, String content) {
        static Entry file(String name, String content) {
            return new Entry(name, '0', "", content);
        }

        static Entry directory(String name) {
            return new Entry(name, '5', "", "");
        }

        static Entry link(String name, String target) {
            return new Entry(name, '2', target, "");
        }

        static Entry hardLink(String name, String target) {
            return new Entry(name, '1', target, "");
        }

        static Entry device(String name) {
            return new Entry(name, '3', "", "");
        }
    }

    /// Writes a layout of one image with these layers and returns the reference of it.
    static String write(Path layout, List<List<Entry>> layers) throws IOException {
        Path blobs = Files.createDirectories(layout.resolve("blobs/sha256"));
        List<String> diffIds = new ArrayList<>();
        List<String> descriptors = new ArrayList<>();
        for (List<Entry> layer : layers) {
            byte[] tar = tar(layer);
            String digest = blob(blobs, tar);
            diffIds.add("\"sha256:" + digest + "\"");
            descriptors.add(descriptor("application/vnd.oci.image.layer.v1.tar", digest, tar.length));
        }
        byte[] config = ("{\"architecture\":\"" + architecture()
                        + "\",\"os\":\"linux\",\"config\":{\"Env\":[\"PATH=/bin\","
                        + "\"LAYER=yes\"],\"User\":\"nobody\",\"WorkingDir\":\"/srv\"},\"rootfs\":{\"type\":\"layers\","
                        + "\"diff_ids\":[" + String.join(",", diffIds) + "]}}")
                .getBytes(StandardCharsets.UTF_8);
        String configDescriptor =
                descriptor("application/vnd.oci.image.config.v1+json", blob(blobs, config), config.length);
        byte[] manifest =
                ("{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"config\":"
                                + configDescriptor + ",\"layers\":[" + String.join(",", descriptors) + "]}")
                        .getBytes(StandardCharsets.UTF_8);
        String described =
                descriptor("application/vnd.oci.image.manifest.v1+json", blob(blobs, manifest), manifest.length);
        String named =
                described.replaceFirst("\\}$", ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"latest\"}}");
        Files.writeString(layout.resolve("index.json"), "{\"schemaVersion\":2,\"manifests\":[" + named + "]}");
        Files.writeString(layout.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
        return layout + ":latest";
    }

    private static String architecture() {
        return System.getProperty("os.arch", "").equals("aarch64") ? "arm64" : "amd64";
    }

    private static String descriptor(String type, String digest, int size) {
        return "{\"mediaType\":\"" + type + "\",\"digest\":\"sha256:" + digest + "\",\"size\":" + size + "}";
    }

    private static String blob(Path blobs, byte[] content) throws IOException {
        Path file = Files.createTempFile(blobs, "new", null);
        Files.write(file, content);
        String digest = Sha256.of(file);
        Files.move(file, blobs.resolve(digest));
        return digest;
    }

    private static byte[] tar(List<Entry> entries) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Entry entry : entries) {
            byte[] content = entry.content().getBytes(StandardCharsets.UTF_8);
            out.write(header(entry, content.length));
            out.write(content);
            out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        }
        out.write(new byte[2 * BLOCK]);
        return out.toByteArray();
    }

    private static byte[] header(Entry entry, int size) {
        byte[] header = new byte[BLOCK];
        put(header, 0, entry.name());
        put(header, 100, entry.type() == '5' ? "0000755" : "0000644");
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, 124, "%011o".formatted(size));
        put(header, 136, "%011o".formatted(1_700_000_000));
        put(header, 148, "        ");
        header[156] = (byte) entry.type();
        put(header, 157, entry.target());
        put(header, 257, "ustar");
        put(header, 263, "00");
        put(header, 329, "0000001");
        put(header, 337, "0000003");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, 148, "%06o\0 ".formatted(sum));
        return header;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
