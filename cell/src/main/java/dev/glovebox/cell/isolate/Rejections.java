package dev.glovebox.cell.isolate;

import com.caoccao.javet.enums.JavetPromiseRejectEvent;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.callback.IJavetPromiseRejectCallback;
import com.caoccao.javet.values.V8Value;
import com.caoccao.javet.values.reference.V8ValuePromise;
import java.util.ArrayList;
import java.util.List;

/// Promises of one isolate that were rejected, and that nobody has handled yet. V8 calls in the middle of guest code,
/// possibly with no stack left, so nothing here runs JavaScript. The isolate's thread only.
final class Rejections implements IJavetPromiseRejectCallback, AutoCloseable {
    /// The first of them ends the program; this many are kept until it is known that nobody handles it.
    private static final int KEPT_MAX = 1000;

    private final List<V8ValuePromise> pending = new ArrayList<>();

    @Override
    public void callback(JavetPromiseRejectEvent event, V8ValuePromise promise, V8Value value) {
        try {
            if (event == JavetPromiseRejectEvent.PromiseRejectWithNoHandler && pending.size() < KEPT_MAX) {
                pending.add(promise.toClone(true));
            } else if (event == JavetPromiseRejectEvent.PromiseHandlerAddedAfterReject) {
                forget(promise);
            }
        } catch (JavetException e) {
            throw new IllegalStateException("V8 does not hand over a promise", e);
        }
    }

    private void forget(V8ValuePromise promise) throws JavetException {
        for (int i = 0; i < pending.size(); i++) {
            if (pending.get(i).strictEquals(promise)) {
                pending.remove(i).close();
                return;
            }
        }
    }

    /// The promises, which are the caller's to close.
    List<V8ValuePromise> take() {
        List<V8ValuePromise> taken = List.copyOf(pending);
        pending.clear();
        return taken;
    }

    @Override
    public void close() throws JavetException {
        for (V8ValuePromise promise : take()) {
            promise.close();
        }
    }
}
