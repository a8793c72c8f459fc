package dev.glovebox.testkit;

import dev.glovebox.store.SecretKey;
import dev.glovebox.store.SqliteStore;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import org.junit.jupiter.api.io.TempDir;

class SqliteNetworkStoreTest extends NetworkStoreConformance {
    @TempDir
    Path home;

    @Override
    protected Ports open() {
        SqliteStore store = SqliteStore.open(home.resolve("glovebox.db"), Clock.fixed(Samples.NOON, ZoneOffset.UTC));
        SecretKey key = SecretKey.open(home.resolve("secrets.key"), new SecureRandom());
        return new Ports(store.secrets(key), store.tunnels(), store);
    }
}
