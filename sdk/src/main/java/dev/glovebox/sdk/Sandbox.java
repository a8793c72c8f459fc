package dev.glovebox.sdk;

import dev.glovebox.wire.api.CommandEntry;
import dev.glovebox.wire.api.CommandList;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.InputRequest;
import dev.glovebox.wire.api.LeaseRequest;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.SandboxResponse;
import dev.glovebox.wire.api.SandboxUsageResponse;
import dev.glovebox.wire.api.SignalRequest;
import dev.glovebox.wire.api.TerminalSet;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// One sandbox. Thread-safe. It lives until it is killed or its lease ends, whatever becomes of this object.
public final class Sandbox {
    private final Transport transport;
    private final SandboxResponse details;
    private final String path;

    Sandbox(Transport transport, SandboxResponse details) {
        this.transport = transport;
        this.details = details;
        this.path = "/v1/sandboxes/" + Query.encode(details.id());
    }

    public String id() {
        return details.id();
    }

    /// As it was when this object was made.
    public SandboxResponse details() {
        return details;
    }

    /// Lets its lease end that long from now.
    public SandboxResponse extend(Duration lease) {
        return transport.json("POST", path + "/lease", new LeaseRequest(lease.toSeconds()), SandboxResponse.class);
    }

    /// Ends it with everything in it.
    public void kill() {
        transport.send("DELETE", path, null);
    }

    /// Runs a process and returns everything at once.
    public ExecutionResponse run(CommandRequest request) {
        return transport.json("POST", path + "/commands", request, ExecutionResponse.class);
    }

    /// Runs a process, hands its output to the listener as it comes, and returns the rest.
    public ExecutionResponse run(CommandRequest request, OutputListener listener) {
        return transport.call(
                "POST",
                path + "/commands",
                EventStream.MEDIA_TYPE,
                new HttpBody.Bytes(RecordJson.write(request)),
                body -> EventStream.follow(body, listener, ExecutionResponse.class));
    }

    /// The processes that run in it.
    public List<CommandEntry> commands() {
        return transport
                .json("GET", path + "/commands", null, CommandList.class)
                .items();
    }

    /// Writes to a process that was started with open input; `end` closes its standard input after the bytes.
    public void writeInput(long pid, byte[] bytes, boolean end) {
        Content content = Contents.of(bytes);
        transport.send(
                "POST", path + "/commands/" + pid + "/stdin", new InputRequest(content.text(), content.base64(), end));
    }

    /// Sends a signal as Linux numbers them.
    public void signal(long pid, int signal) {
        transport.send("POST", path + "/commands/" + pid + "/signal", new SignalRequest(signal));
    }

    /// Gives the terminal of a process another size.
    public void resize(long pid, int columns, int rows) {
        transport.send("POST", path + "/commands/" + pid + "/terminal", new TerminalSet(columns, rows));
    }

    /// What it uses now.
    public SandboxUsageResponse usage() {
        return transport.json("GET", path + "/usage", null, SandboxUsageResponse.class);
    }

    /// What it may reach, and what it did.
    public NetworkResponse network() {
        return transport.json("GET", path + "/network", null, NetworkResponse.class);
    }

    /// Lets it reach what these rules open and nothing else; connections that they do not allow are cut.
    public NetworkResponse replaceNetwork(NetworkRules rules) {
        return transport.json("PUT", path + "/network", rules, NetworkResponse.class);
    }

    /// Connects to a TCP port inside. The connection lives apart from this client: whoever asked for it closes it.
    public PortConnection connect(int port) {
        return transport.upgrade(path + "/ports/" + port);
    }

    /// Listens at 127.0.0.1 and bridges every connection to a port inside, until it is closed.
    ///
    /// @param local where to listen; 0 takes any port that is free
    /// @param onFailure is told why a connection could not be bridged; called from other threads
    /// @throws IOException if the local port cannot be had
    public PortForward forward(int local, int port, Consumer<RuntimeException> onFailure) throws IOException {
        return PortForward.start(this, local, port, onFailure);
    }

    /// Its files, with the rights of its default user.
    public SandboxFiles files() {
        return new SandboxFiles(transport, path + "/files", null);
    }

    /// Its files, with the rights of another user inside, such as `root`.
    public SandboxFiles filesAs(String user) {
        return new SandboxFiles(transport, path + "/files", user);
    }

    /// Its code interpreter contexts.
    public Contexts contexts() {
        return new Contexts(transport, path + "/contexts");
    }
}
