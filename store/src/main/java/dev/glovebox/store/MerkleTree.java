package dev.glovebox.store;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Merkle tree hash of RFC 6962 over record hashes, built as they come: it holds one hash per level. Not
/// thread-safe.
final class MerkleTree {
    private static final byte LEAF = 0;
    private static final byte NODE = 1;

    private final MessageDigest sha256 = AuditFormat.sha256();
    private final List<byte[]> peaks = new ArrayList<>();
    private long leaves;

    /// Adds the next record's hash, in hexadecimal.
    void add(String recordHash) {
        byte[] hash = hash(LEAF, HexFormat.of().parseHex(recordHash), new byte[0]);
        for (long bits = leaves; (bits & 1) == 1; bits >>= 1) {
            hash = hash(NODE, peaks.removeLast(), hash);
        }
        peaks.add(hash);
        leaves++;
    }

    long leaves() {
        return leaves;
    }

    /// The root, in hexadecimal; of no leaves, the hash of nothing.
    String root() {
        if (peaks.isEmpty()) {
            return AuditFormat.hex(sha256.digest());
        }
        byte[] root = peaks.getLast();
        for (int i = peaks.size() - 2; i >= 0; i--) {
            root = hash(NODE, peaks.get(i), root);
        }
        return AuditFormat.hex(root);
    }

    private byte[] hash(byte kind, byte[] left, byte[] right) {
        sha256.update(kind);
        sha256.update(left);
        return sha256.digest(right);
    }
}
