package dev.glovebox.backends;

import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.ProcessId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Notes what an execution says, in its order.
final class RecordingSink implements ExecutionSink {
    final List<String> said = new ArrayList<>();
    final List<MimeBundle> results = new ArrayList<>();
    final CountDownLatch started = new CountDownLatch(1);

    /// What a test does while the sink is busy.
    Runnable onOutput = () -> {};

    Runnable onResult = () -> {};

    @Override
    public void started(ProcessId process) {
        started.countDown();
    }

    @Override
    public void stdout(byte[] bytes) {
        onOutput.run();
        said.add("out:" + new String(bytes, StandardCharsets.UTF_8));
    }

    @Override
    public void stderr(byte[] bytes) {
        said.add("err:" + new String(bytes, StandardCharsets.UTF_8));
    }

    @Override
    public void result(MimeBundle bundle) {
        said.add("result");
        results.add(bundle);
        onResult.run();
    }
}
