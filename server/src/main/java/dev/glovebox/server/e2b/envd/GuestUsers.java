package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/// The homes of a sandbox's users. Two are known; of the others the sandbox's own list is asked, which is guest
/// content:
/// it can mislead its own sandbox only.
final class GuestUsers {
    private static final GuestPath ROOTS_HOME = new GuestPath("/" + "root");
    private static final GuestPath LIST = new GuestPath("/etc/passwd");
    private static final int LIST_BYTES_MAX = 64 * 1024;
    private static final int COLUMN_HOME = 5;
    private static final Set<GuestUser> KNOWN = Set.of(GuestUser.USER, GuestUser.ROOT);

    private GuestUsers() {}

    static ConnectFailure unknown(String name) {
        String shown = name.length() <= 64 && name.chars().allMatch(c -> c > 0x20 && c < 0x7f) ? name : "of this name";
        return new ConnectFailure(ConnectCode.UNAUTHENTICATED, "invalid user: the sandbox has no user " + shown);
    }

    /// Where a user is at home.
    ///
    /// @throws ConnectFailure UNAUTHENTICATED if the sandbox does not know the user
    static GuestPath home(EnvdCall call, GuestUser user) {
        if (!Tiers.isLinux(call.target().sandbox().tier())) {
            if (!KNOWN.contains(user)) {
                throw unknown(user.name());
            }
            return GuestPath.HOME;
        }
        if (user.equals(GuestUser.USER)) {
            return GuestPath.HOME;
        }
        return user.equals(GuestUser.ROOT) ? ROOTS_HOME : listed(call, user);
    }

    private static GuestPath listed(EnvdCall call, GuestUser user) {
        for (String line : list(call).split("\n", -1)) {
            String[] columns = line.split(":", -1);
            if (columns.length > COLUMN_HOME && columns[0].equals(user.name())) {
                return columns[COLUMN_HOME].startsWith("/") ? new GuestPath(columns[COLUMN_HOME]) : GuestPath.ROOT;
            }
        }
        throw unknown(user.name());
    }

    private static String list(EnvdCall call) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            call.execute(new Command.ReadFile(
                    call.target().id(), LIST, FileAccess.DEFAULT, 0, LIST_BYTES_MAX, bytes::writeBytes));
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.FILE_NOT_FOUND) {
                throw e;
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
