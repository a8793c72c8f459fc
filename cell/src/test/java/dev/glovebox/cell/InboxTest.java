package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InboxTest {
    private final List<Integer> granted = new ArrayList<>();
    private final Inbox inbox = new Inbox(granted::add);
    private final byte[] buffer = new byte[128 * 1024];

    @Test
    void readsWhatWasOfferedThenTheEnd() {
        inbox.offer(new byte[] {1, 2, 3});
        inbox.end();
        assertThat(inbox.read(buffer, 0, 2)).isEqualTo(2);
        assertThat(inbox.read(buffer, 2, 10)).isEqualTo(1);
        assertThat(buffer).startsWith(1, 2, 3);
        assertThat(inbox.read(buffer, 0, 10)).isEqualTo(-1);
    }

    @Test
    void grantsInLargeStepsWhatWasRead() {
        inbox.offer(new byte[60_000]);
        inbox.offer(new byte[60_000]);
        assertThat(inbox.read(buffer, 0, 60_000)).isEqualTo(60_000);
        assertThat(granted).isEmpty();
        assertThat(inbox.read(buffer, 0, 60_000)).isEqualTo(60_000);
        assertThat(granted).containsExactly(120_000);
    }

    @Test
    void refusesMoreThanTheCredit() {
        for (int i = 0; i < Protocol.INITIAL_CREDIT_BYTES / Protocol.PAYLOAD_BYTES_MAX; i++) {
            inbox.offer(new byte[Protocol.PAYLOAD_BYTES_MAX]);
        }
        assertThatThrownBy(() -> inbox.offer(new byte[1])).isInstanceOf(ProtocolException.class);
    }

    @Test
    void refusesDataAfterTheEnd() {
        inbox.end();
        assertThatThrownBy(() -> inbox.offer(new byte[1]))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("after the end");
    }

    @Test
    void tellsAWaitingReaderOfAnInterrupt() throws InterruptedException {
        AtomicInteger result = new AtomicInteger();
        Thread reader = Thread.ofVirtual().start(() -> result.set(inbox.read(buffer, 0, 1)));
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        inbox.interrupt();
        reader.join();
        assertThat(result).hasValue(GuestStreams.INTERRUPTED);
    }

    @Test
    void doesNotKeepAnInterruptThatNobodyWaitedFor() {
        inbox.interrupt();
        inbox.offer(new byte[] {7});
        assertThat(inbox.read(buffer, 0, 1)).isEqualTo(1);
    }
}
