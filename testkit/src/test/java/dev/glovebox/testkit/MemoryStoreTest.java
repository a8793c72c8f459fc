package dev.glovebox.testkit;

import dev.glovebox.store.MemoryStore;

class MemoryStoreTest extends StoreConformance {
    @Override
    protected Ports open() {
        MemoryStore store = new MemoryStore();
        return new Ports(store, store, () -> {});
    }
}
