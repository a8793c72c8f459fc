package dev.glovebox.core.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
    @ParameterizedTest
    @CsvSource({
        "1.2.3.4,1.2.3.4",
        "0.0.0.0,0.0.0.0",
        "255.255.255.255,255.255.255.255",
        "::,::",
        "::1,::1",
        "1::,1::",
        "2001:DB8:0:0:1:0:0:1,2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1,2001:db8:0:1:1:1:1:1",
        "::ffff:1.2.3.4,::ffff:102:304",
        "1:2:3:4:5:6:7:8,1:2:3:4:5:6:7:8",
        "fe80::1,fe80::1",
    })
    void readsAndWritesTheOneSpelling(String text, String normal) {
        IpAddress address = IpAddress.parse(text).orElseThrow();
        assertThat(address).hasToString(normal);
        assertThat(IpAddress.parse(normal)).contains(address);
        assertThat(IpAddress.of(address.bytes())).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.256",
                "01.2.3.4",
                "0x7f.0.0.1",
                "127.1",
                "2130706433",
                "0177.0.0.1",
                "1.2.3.4 ",
                " 1.2.3.4",
                "1.2.3.-4",
                "1.2.3.４",
                "1..2.3",
                ":",
                ":::",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1::2::3",
                "12345::",
                "fe80::1%eth0",
                "::1.2.3",
                "1.2.3.4::",
                "1:2:3:4:5:6:7::8:9",
                "g::"
            })
    void takesNothingElseForAnAddress(String text) {
        assertThat(IpAddress.parse(text)).isEmpty();
    }

    @Test
    void agreesWithTheJdkOnRandomAddresses() throws UnknownHostException {
        Random random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(bytes);
            for (int j = 0; j < bytes.length; j++) {
                if (random.nextInt(3) == 0) {
                    bytes[j] = 0;
                }
            }
            IpAddress address = IpAddress.of(bytes);
            assertThat(address.bytes()).isEqualTo(bytes);
            assertThat(IpAddress.parse(address.toString())).contains(address);
            assertThat(InetAddress.getByName(address.toString()).getAddress())
                    .isEqualTo(InetAddress.getByAddress(bytes).getAddress());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,10.255.0.1,11.0.0.0",
        "1.2.3.4,1.2.3.4,1.2.3.5",
        "0.0.0.0/0,8.8.8.8,::1",
        "::/0,2600::1,8.8.8.8",
        "2001:db8::/32,2001:db8:ffff::1,2001:db9::",
        "fe80::/10,febf::1,fec0::1",
        "2001:db8::/65,2001:db8::7fff:0:0:1,2001:db8::8000:0:0:1",
        "192.168.1.77/24,192.168.1.1,192.168.2.1",
    })
    void rangesHoldWhatSharesTheirPrefix(String range, String inside, String outside) {
        Cidr cidr = Cidr.parse(range).orElseThrow();
        assertThat(cidr.contains(IpAddress.parse(inside).orElseThrow())).isTrue();
        assertThat(cidr.contains(IpAddress.parse(outside).orElseThrow())).isFalse();
        assertThat(Cidr.parse(cidr.toString())).contains(cidr);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/08", "::/129", "/8", "1.2.3.4/8/8", "a/8"})
    void takesNothingElseForARange(String text) {
        assertThat(Cidr.parse(text)).isEmpty();
    }

    @Test
    void refusesImpossibleBits() {
        assertThatThrownBy(() -> new IpAddress(IpAddress.Family.IPV4, 0, 1L << 32))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IpAddress.of(new byte[5])).hasMessageContaining("4 or 16 bytes, not 5");
        assertThatThrownBy(() -> new Cidr(IpAddress.v4(0), 33)).hasMessageContaining("0..32");
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3,private",
        "172.16.0.1,private",
        "172.31.255.255,private",
        "192.168.0.1,private",
        "127.0.0.1,loopback",
        "127.255.255.255,loopback",
        "0.0.0.0,this_network",
        "169.254.169.254,metadata",
        "169.254.1.1,link_local",
        "100.64.0.1,cgnat",
        "100.100.100.200,metadata",
        "168.63.129.16,metadata",
        "192.0.0.192,metadata",
        "224.0.0.251,multicast",
        "239.255.255.255,multicast",
        "240.0.0.1,reserved",
        "255.255.255.255,reserved",
        "192.0.2.1,reserved",
        "198.18.0.1,reserved",
        "192.88.99.1,6to4",
        "::1,loopback",
        "::,unspecified",
        "::ffff:8.8.8.8,mapped",
        "::8.8.8.8,mapped",
        "64:ff9b::8.8.8.8,nat64",
        "64:ff9b:1::1,nat64",
        "2002:808:808::1,6to4",
        "2001::1,teredo",
        "2001:db8::1,reserved",
        "fd00:ec2::254,metadata",
        "fd12::1,private",
        "fe80::1,link_local",
        "fec0::1,private",
        "ff02::1,multicast",
        "4000::1,reserved",
        "100::1,reserved",
    })
    void knowsWhatIsSpecial(String address, String word) {
        assertThat(SpecialAddresses.of(IpAddress.parse(address).orElseThrow()))
                .map(SpecialAddresses.Special::word)
                .contains(word);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "223.255.255.255",
                "2600::1",
                "2a00::1"
            })
    void andWhatIsNot(String address) {
        assertThat(SpecialAddresses.of(IpAddress.parse(address).orElseThrow())).isEmpty();
    }
}
