package dev.glovebox.conformance;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Hands the server that is examined to whoever asks for a [Target]: the one that `glovebox.url` and
/// `glovebox.key` name, else one of our own, started once and ended with the last suite.
public final class ServerExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(ServerExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Target.class;
    }

    @Override
    public Target resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return target(context);
    }

    static Target target(ExtensionContext context) {
        String url = System.getProperty("glovebox.url", "");
        if (!url.isEmpty()) {
            return new Target(java.net.URI.create(url), System.getProperty("glovebox.key", ""));
        }
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Server.class, _ -> Server.start(), Server.class)
                .target();
    }
}
