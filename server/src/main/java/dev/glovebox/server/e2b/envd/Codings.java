package dev.glovebox.server.e2b.envd;

import java.util.Locale;

/// How content is packed on its way: as it is, or by gzip.
enum Codings {
    IDENTITY,
    GZIP;

    private static final double ABSENT = -1;

    /// What a client should get, by its `Accept-Encoding`. Packing costs more than it saves on most ways to a sandbox,
    /// so
    /// it is done for who asks for gzip and nothing else, or does not take content as it is.
    ///
    /// @throws HttpRefusal 406 if it takes neither
    static Codings accepted(String header) {
        double any = ABSENT;
        double gzip = ABSENT;
        double identity = ABSENT;
        boolean isOnlyGzip = true;
        for (String part : header.split(",", -1)) {
            String[] words = part.strip().toLowerCase(Locale.ROOT).split("\\s*;\\s*", -1);
            switch (words[0]) {
                case "" -> {}
                case "gzip", "x-gzip" -> gzip = quality(words);
                case "identity" -> identity = quality(words);
                case "*" -> any = quality(words);
                default -> isOnlyGzip = false;
            }
        }
        boolean takesGzip = gzip > 0 || (gzip == ABSENT && any > 0);
        boolean takesIdentity = identity == ABSENT ? any != 0 : identity > 0;
        if (gzip > 0 && isOnlyGzip && gzip >= identity) {
            return GZIP;
        }
        if (takesIdentity) {
            return IDENTITY;
        }
        if (takesGzip) {
            return GZIP;
        }
        throw new HttpRefusal(406, "a file can be sent as it is, or with gzip, and the request takes neither");
    }

    private static double quality(String[] words) {
        for (String word : words) {
            if (word.startsWith("q=")) {
                try {
                    return Math.clamp(Double.parseDouble(word.substring(2)), 0.0, 1.0);
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1;
    }

    /// How a request's body is packed.
    ///
    /// @throws HttpRefusal 415 if it is neither way
    static Codings ofBody(String header) {
        return switch (header.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            default -> throw new HttpRefusal(415, "a body can be sent as it is, or with gzip");
        };
    }
}
