package dev.glovebox.egress;

import dev.glovebox.core.egress.HostName;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The host that a request is for, and the path in the form that servers get. Host and an absolute target must
/// agree.
record RequestTarget(HostName host, String path) {
    private static final Pattern ABSOLUTE = Pattern.compile("(?i)(https?)://([^/?#]*)([/?].*)?");
    private static final Pattern AUTHORITY = Pattern.compile("([^:@\\[\\]]+)(?::([0-9]{1,5}))?");

    /// Finds out where a request that came to this port is going.
    ///
    /// @throws HttpRefusal `http.connect`, `http.host`, `http.malformed`
    static RequestTarget of(HttpHead head, int port, boolean isTls) throws HttpRefusal {
        if (head.method().equalsIgnoreCase("CONNECT")) {
            throw new HttpRefusal("http.connect", "CONNECT is not carried: connect to the destination itself");
        }
        List<String> hosts = head.values("Host");
        if (hosts.size() != 1) {
            throw host(hosts.isEmpty() ? "the request has no Host" : "the request has Host more than once");
        }
        HostName host = authority(hosts.getFirst(), port);
        String target = head.target();
        if (target.startsWith("/")) {
            return new RequestTarget(host, withoutFragment(target));
        }
        if (target.equals("*") && head.method().equals("OPTIONS")) {
            return new RequestTarget(host, target);
        }
        Matcher absolute = ABSOLUTE.matcher(target);
        if (!absolute.matches()) {
            throw HttpHead.malformed("its target is neither a path nor a URL of http or https");
        }
        if (absolute.group(1).equalsIgnoreCase("https") != isTls) {
            throw host("the scheme of its target is not that of the connection");
        }
        if (!authority(absolute.group(2), port).equals(host)) {
            throw host("Host and target of the request name two hosts");
        }
        String path = absolute.group(3);
        if (path == null) {
            path = "/";
        } else if (path.startsWith("?")) {
            path = "/" + path;
        }
        return new RequestTarget(host, withoutFragment(path));
    }

    private static String withoutFragment(String path) throws HttpRefusal {
        if (path.indexOf('#') >= 0) {
            throw HttpHead.malformed("its target holds a fragment");
        }
        return path;
    }

    private static HostName authority(String text, int port) throws HttpRefusal {
        Matcher matcher = AUTHORITY.matcher(text);
        if (!matcher.matches()) {
            throw host("the request's Host is not a name, with or without a port");
        }
        String named = matcher.group(2);
        if (named != null && Integer.parseInt(named) != port) {
            throw host("the request's Host names another port than the connection's");
        }
        return HostName.parse(matcher.group(1)).orElseThrow(() -> host("the request's Host is not a host name"));
    }

    private static HttpRefusal host(String why) {
        return new HttpRefusal("http.host", why);
    }
}
