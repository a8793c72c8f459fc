package dev.glovebox.cell.wasm;

import com.caoccao.javet.interfaces.IJavetLogger;

/// Drops what Javet would log: its messages can hold text of a guest.
enum SilentLogger implements IJavetLogger {
    INSTANCE;

    @Override
    public void debug(String message) {}

    @Override
    public void error(String message) {}

    @Override
    public void error(String message, Throwable cause) {}

    @Override
    public void info(String message) {}

    @Override
    public void warn(String message) {}
}
