package dev.glovebox.cell.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// The authorities that vouch for hosts to one sandbox. Read when they are first needed: most sandboxes never do.
/// Thread-safe.
public final class Trust {
    private static final int SHARED_BYTES_MIN = 16 * 1024;
    /// The list of the operator's system, which all sandboxes of a cell share: it takes some 50 ms to read.
    private static final AtomicReference<Read> SHARED = new AtomicReference<>(new Read(new byte[0], List.of()));

    private record Read(byte[] pem, Collection<? extends Certificate> certificates) {}

    private final List<byte[]> pems;
    private @Nullable SSLSocketFactory factory;

    /// @param pems texts with any number of certificates each; if all are empty, the JDK's own list counts
    public Trust(List<byte[]> pems) {
        this.pems = List.copyOf(pems);
    }

    public synchronized SSLSocketFactory factory() throws IOException {
        SSLSocketFactory made = factory;
        if (made == null) {
            try {
                made = make();
            } catch (GeneralSecurityException failure) {
                throw new IOException("the list of trusted authorities cannot be read", failure);
            }
            factory = made;
        }
        return made;
    }

    private SSLSocketFactory make() throws IOException, GeneralSecurityException {
        List<Certificate> all = new ArrayList<>();
        for (byte[] pem : pems) {
            all.addAll(read(pem));
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < all.size(); i++) {
            store.setCertificateEntry("authority-" + i, all.get(i));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(all.isEmpty() ? null : store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private static Collection<? extends Certificate> read(byte[] pem) throws GeneralSecurityException {
        Read shared = SHARED.get();
        if (Arrays.equals(shared.pem, pem)) {
            return shared.certificates;
        }
        Collection<? extends Certificate> certificates =
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
        if (pem.length >= SHARED_BYTES_MIN) {
            SHARED.set(new Read(pem, List.copyOf(certificates)));
        }
        return certificates;
    }
}
