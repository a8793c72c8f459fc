package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import org.junit.jupiter.api.Test;

class CreditTest {
    @Test
    void givesTheInitialCreditAndNoByteMore() {
        Credit credit = new Credit();
        assertThat(credit.tryTake(Protocol.INITIAL_CREDIT_BYTES + 1)).isEqualTo(Protocol.INITIAL_CREDIT_BYTES);
        assertThat(credit.tryTake(1)).isZero();
        credit.add(10);
        assertThat(credit.tryTake(100)).isEqualTo(10);
    }

    @Test
    void refusesGrantsThatTheProtocolForbids() {
        assertThatThrownBy(() -> new Credit().add(0)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> new Credit().add(-1)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> new Credit().add(Protocol.CREDIT_BYTES_MAX))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("on top of " + Protocol.INITIAL_CREDIT_BYTES);
    }

    @Test
    void letsWaitersGoWhenClosed() throws InterruptedException {
        Credit credit = new Credit();
        credit.tryTake(Protocol.INITIAL_CREDIT_BYTES);
        Thread waiter = Thread.ofVirtual().start(credit::await);
        credit.close();
        waiter.join();
        credit.add(5);
        assertThat(credit.tryTake(5)).isZero();
    }
}
