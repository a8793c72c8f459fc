package dev.glovebox.testkit;

import dev.glovebox.store.SqliteStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest extends StoreConformance {
    @TempDir
    Path home;

    @Override
    protected Ports open() {
        SqliteStore store = SqliteStore.open(home.resolve("glovebox.db"), Clock.fixed(Samples.NOON, ZoneOffset.UTC));
        return new Ports(store, store, store);
    }
}
