package dev.glovebox.cell;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.wire.agent.Status;

/// How a refusal of ours is told to the host.
final class Statuses {
    private Statuses() {}

    static Status of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, WRONG_STATE, METHOD_NOT_ALLOWED, TOO_LARGE -> Status.INVALID;
            case SANDBOX_NOT_FOUND,
                    PROCESS_NOT_FOUND,
                    CONTEXT_NOT_FOUND,
                    FILE_NOT_FOUND,
                    KEY_NOT_FOUND,
                    SECRET_NOT_FOUND,
                    TUNNEL_NOT_FOUND,
                    PORT_CLOSED,
                    ROUTE_NOT_FOUND -> Status.NOT_FOUND;
            case ALREADY_EXISTS -> Status.ALREADY_EXISTS;
            case WRONG_FILE_TYPE -> Status.IS_A_DIRECTORY;
            case UNAUTHENTICATED, FORBIDDEN, POLICY_DENIED -> Status.PERMISSION;
            case QUOTA_EXCEEDED, OVERLOADED -> Status.TOO_MANY;
            case NO_SPACE -> Status.NO_SPACE;
            case TIER_UNAVAILABLE, UNSUPPORTED -> Status.UNSUPPORTED;
            case BACKEND_LOST, INTERNAL -> Status.FAILED;
        };
    }

    /// The sentence of a refusal.
    static String words(RuntimeException refusal) {
        return String.valueOf(refusal.getMessage());
    }

    static Status of(Errno errno) {
        return switch (errno) {
            case NOENT -> Status.NOT_FOUND;
            case EXIST -> Status.ALREADY_EXISTS;
            case NOTDIR -> Status.NOT_A_DIRECTORY;
            case ISDIR -> Status.IS_A_DIRECTORY;
            case NOTEMPTY -> Status.NOT_EMPTY;
            case PERM, ACCES, ROFS, NOTCAPABLE -> Status.PERMISSION;
            case NOSPC, FBIG, DQUOT, MLINK -> Status.NO_SPACE;
            case MFILE -> Status.TOO_MANY;
            default -> Status.INVALID;
        };
    }
}
