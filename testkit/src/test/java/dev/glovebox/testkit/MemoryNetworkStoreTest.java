package dev.glovebox.testkit;

import dev.glovebox.store.MemoryNetworkStore;

class MemoryNetworkStoreTest extends NetworkStoreConformance {
    @Override
    protected Ports open() {
        MemoryNetworkStore store = new MemoryNetworkStore();
        return new Ports(store.secrets(), store.tunnels(), () -> {});
    }
}
