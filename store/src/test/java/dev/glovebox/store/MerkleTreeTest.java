package dev.glovebox.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class MerkleTreeTest {
    /// RFC 6962, section 2.1, as it is written there.
    private static byte[] root(List<byte[]> leaves) {
        MessageDigest sha256 = AuditFormat.sha256();
        if (leaves.isEmpty()) {
            return sha256.digest();
        }
        if (leaves.size() == 1) {
            sha256.update((byte) 0);
            return sha256.digest(leaves.getFirst());
        }
        int split = Integer.highestOneBit(leaves.size() - 1);
        byte[] left = root(leaves.subList(0, split));
        byte[] right = root(leaves.subList(split, leaves.size()));
        sha256.update((byte) 1);
        sha256.update(left);
        return sha256.digest(right);
    }

    @Test
    void isTheTreeOfTheRfcForEverySize() {
        MerkleTree tree = new MerkleTree();
        List<byte[]> leaves = new ArrayList<>();
        assertThat(tree.root()).isEqualTo(AuditFormat.hex(root(leaves)));
        for (int i = 0; i < 70; i++) {
            byte[] leaf = AuditFormat.sha256().digest(new byte[] {(byte) i});
            leaves.add(leaf);
            tree.add(HexFormat.of().formatHex(leaf));
            assertThat(tree.leaves()).isEqualTo(i + 1);
            assertThat(tree.root()).as("of " + leaves.size()).isEqualTo(AuditFormat.hex(root(leaves)));
        }
    }
}
