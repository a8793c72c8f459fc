"""What the Python clients do against the server. Arguments: the groups to run."""

import hashlib
import os
import sys

import httpx
from e2b import (
    AsyncSandbox,
    AuthenticationException,
    CommandExitException,
    FileNotFoundException,
    FileType,
    FilesystemEventType,
    InvalidArgumentException,
    NotFoundException,
    PtySize,
    Sandbox,
    SandboxException,
    SandboxNotFoundException,
    SandboxQuery,
    SandboxState,
    TimeoutException,
)
from e2b_code_interpreter import AsyncSandbox as AsyncInterpreter
from e2b_code_interpreter import Sandbox as Interpreter

from harness import BASE, CODE, LINUX, OTHER_KEY, RUN, SYNC, TIER, Sandboxes, both, eventually, fresh, main, pause, rejects, scenario

BOX = Sandbox if SYNC else AsyncSandbox
CODE_BOX = Interpreter if SYNC else AsyncInterpreter
PYTHON = TIER != "isolate"
UNKNOWN = "i00000000000000000000"


async def listed(**query):
    paginator = BOX.list(query=SandboxQuery(**query), limit=2)
    items = []
    while paginator.has_next:
        items += await both(paginator.next_items())
    return items


# -- control plane


@scenario("api/create, info, list, kill")
async def _():
    async with Sandboxes(BOX, metadata={"k e=y&": "v&1=ü😀"}) as sandbox:
        info = await both(sandbox.get_info())
        assert info.sandbox_id == sandbox.sandbox_id
        assert info.state == SandboxState.RUNNING
        assert info.metadata["k e=y&"] == "v&1=ü😀"
        assert info.end_at > info.started_at
        assert info.cpu_count >= 1 and info.memory_mb >= 64
        assert await both(sandbox.is_running())
        found = await listed(metadata={"run": RUN, "k e=y&": "v&1=ü😀"})
        assert [one.sandbox_id for one in found] == [sandbox.sandbox_id]
        assert found[0].started_at == info.started_at
        assert await both(BOX.kill(sandbox.sandbox_id)) is True
        assert await both(sandbox.kill()) is False
        assert await both(sandbox.is_running()) is False
        await rejects(SandboxNotFoundException, sandbox.get_info)
        assert await listed(metadata={"run": RUN, "k e=y&": "v&1=ü😀"}) == []


@scenario("api/pages")
async def _():
    async with Sandboxes(BOX, metadata={"g": "pages"}) as one, Sandboxes(BOX, metadata={"g": "pages"}) as two:
        async with Sandboxes(BOX, metadata={"g": "pages"}) as three:
            found = [item.sandbox_id for item in await listed(metadata={"run": RUN, "g": "pages"}, state=[SandboxState.RUNNING])]
            assert found == [three.sandbox_id, two.sandbox_id, one.sandbox_id], found


@scenario("api/what is not there, and what is another's")
async def _():
    assert await both(BOX.kill(UNKNOWN)) is False
    await rejects(SandboxNotFoundException, lambda: BOX.connect(UNKNOWN))
    await rejects(AuthenticationException, lambda: BOX.create(BASE, api_key="e2b_" + "0" * 40))
    await rejects(Exception, lambda: BOX.create("no-such-template"), "no-such-template")
    async with Sandboxes(BOX) as sandbox:
        await rejects(SandboxNotFoundException, lambda: BOX.connect(sandbox.sandbox_id, api_key=OTHER_KEY))
        assert await both(BOX.kill(sandbox.sandbox_id, api_key=OTHER_KEY)) is False
        assert await both(sandbox.is_running())


@scenario("api/metrics", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        async def sample():
            return await both(sandbox.get_metrics())

        metrics = await eventually("a sample", sample, within=20, every=0.5)
        assert metrics[-1].mem_total > 0 and metrics[-1].cpu_count >= 1


# -- lifecycle


@scenario("lifecycle/time to live: set, shortened, over")
async def _():
    async with Sandboxes(BOX) as sandbox:
        before = (await both(sandbox.get_info())).end_at
        await both(sandbox.set_timeout(600))
        assert (await both(sandbox.get_info())).end_at > before
        again = await both(BOX.connect(sandbox.sandbox_id, timeout=5))
        assert ((await both(again.get_info())).end_at - before).total_seconds() > 60, "connect must not shorten"
        await both(sandbox.set_timeout(2))
        async def gone():
            return not await both(sandbox.is_running())

        await eventually("the sandbox ends", gone, within=6)
        await rejects(SandboxNotFoundException, lambda: BOX.connect(sandbox.sandbox_id))
        await rejects(TimeoutException, lambda: sandbox.commands.run("echo x"))


@scenario("lifecycle/connect finds files and processes", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        await both(sandbox.files.write("kept.txt", "kept"))
        handle = await both(sandbox.commands.run("sleep 30", background=True))
        again = await both(BOX.connect(sandbox.sandbox_id))
        assert await both(again.files.read("kept.txt")) == "kept"
        assert handle.pid in [one.pid for one in await both(again.commands.list())]


# -- network, as far as nothing has to be reached for it


@scenario("network/closed unless something is said")
async def _():
    async with Sandboxes(BOX) as sandbox:
        info = await both(sandbox.get_info())
        assert info.allow_internet_access is False, info
        assert info.network["deny_out"] == ["0.0.0.0/0"], info.network


@scenario("network/lists and rules are told, and replaced as a whole", only=LINUX)
async def _():
    network = {
        "allow_out": ["1.1.1.1", "api.example.com"],
        "deny_out": ["0.0.0.0/0"],
        "rules": {"api.example.com": [{"transform": {"headers": {"Authorization": "Bearer ${e2b.secrets.TOKEN}"}}}]},
    }
    async with Sandboxes(BOX, network=network) as sandbox:
        told = (await both(sandbox.get_info())).network
        assert told["allow_out"] == network["allow_out"] and told["deny_out"] == network["deny_out"], told
        await both(sandbox.update_network({"deny_out": ["8.8.8.8"]}))
        info = await both(sandbox.get_info())
        assert info.allow_internet_access is True, info
        assert info.network["deny_out"] == ["8.8.8.8"] and not info.network.get("allow_out"), info.network
        await rejects(Exception, lambda: sandbox.update_network({"allow_out": ["api.example.com"]}), "ALL_TRAFFIC")
        assert (await both(sandbox.get_info())).network["deny_out"] == ["8.8.8.8"]


@scenario("network/what is no rule is refused in words")
async def _():
    await rejects(Exception, lambda: BOX.create(BASE, network={"allow_out": ["a.example"]}), "ALL_TRAFFIC")
    await rejects(Exception, lambda: BOX.create(BASE, network={"deny_out": ["a.example"]}), "invalid denied CIDR")


# -- commands


@scenario("commands/run: output, status, environment, directory, user", only=LINUX)
async def _():
    async with Sandboxes(BOX, envs={"OF_BOX": "box"}) as sandbox:
        run = sandbox.commands.run
        seen = []
        result = await both(run("echo out; echo err >&2; echo $OF_BOX $OWN; pwd", envs={"OWN": "ü😀"}, cwd="/tmp", on_stdout=seen.append))
        assert result.exit_code == 0
        assert result.stdout == "out\nbox ü😀\n/tmp\n", result
        assert result.stderr == "err\n"
        assert "".join(seen) == result.stdout
        assert (await both(run("id -un", user="root"))).stdout == "root\n"
        error = await rejects(CommandExitException, lambda: run("echo part; exit 9"))
        assert error.exit_code == 9 and error.stdout == "part\n"
        await rejects(InvalidArgumentException, lambda: run("pwd", cwd="/no/such/place"), "/no/such/place")
        await rejects(AuthenticationException, lambda: run("id", user="nobody-here"), "nobody-here")


@scenario("commands/timeout: the command is dead afterwards", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        await rejects(TimeoutException, lambda: sandbox.commands.run("sleep 30", timeout=0.7))

        async def nothing():
            return await both(sandbox.commands.list()) == []

        await eventually("nothing runs", nothing)


@scenario("commands/standard input: by call, by stream, closed", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        commands = sandbox.commands
        handle = await both(commands.run("cat", background=True, stdin=True))
        await both(commands.send_stdin(handle.pid, "one ü\n"))
        await both(handle.send_stdin("two\n"))
        if SYNC:
            commands.stream_input(handle.pid, [f"line {i}\n" for i in range(50)])
        else:
            stream = commands.stream_input(handle.pid)
            for i in range(50):
                await stream.send(f"line {i}\n")
            await stream.close()
        await both(commands.close_stdin(handle.pid))
        result = await both(handle.wait())
        assert result.stdout == "one ü\ntwo\n" + "".join(f"line {i}\n" for i in range(50)), result.stdout[:200]
        await rejects(NotFoundException, lambda: commands.send_stdin(999_999, "x"))
        closed = await both(commands.run("sleep 5", background=True))
        await rejects(SandboxException, lambda: commands.send_stdin(closed.pid, "x"), "stdin")


@scenario("commands/background: connect, disconnect, list, kill", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        commands = sandbox.commands
        handle = await both(commands.run("sleep 1; echo survived", background=True))
        await both(handle.disconnect())
        assert handle.pid in [one.pid for one in await both(commands.list())]
        again = await both(commands.connect(handle.pid))
        assert (await both(again.wait())).stdout == "survived\n"
        other = await both(commands.run("sleep 60", background=True))
        assert await both(other.kill()) is True
        error = await rejects(CommandExitException, other.wait)
        assert error.exit_code != 0
        assert await both(commands.kill(other.pid)) is False
        await rejects(NotFoundException, lambda: commands.connect(999_999))


@scenario("commands/output: much, split characters, raw lines", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        result = await both(sandbox.commands.run("seq 1 200000"))
        assert hashlib.sha256(result.stdout.encode()).hexdigest() == hashlib.sha256(
            "".join(f"{i}\n" for i in range(1, 200001)).encode()
        ).hexdigest()
        script = "import os,time\nfor b in 'é😀'.encode():\n os.write(1, bytes([b])); time.sleep(0.02)"
        await both(sandbox.files.write("split.py", script))
        assert (await both(sandbox.commands.run("python3 split.py"))).stdout == "é😀"


@scenario("commands/the sandbox is killed while a command runs", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        handle = await both(sandbox.commands.run("sleep 60", background=True))
        await both(sandbox.kill())
        await rejects(TimeoutException, handle.wait, "sandbox")


# -- files


@scenario("files/write and read: text, bytes, streams, gzip")
async def _():
    async with Sandboxes(BOX) as sandbox:
        files = sandbox.files
        data = b"\x89PNG\r\n\x1a\n\x00" + os.urandom(70_000)
        for options in ({}, {"gzip": True}, {"use_octet_stream": True}):
            path = fresh()
            info = await both(files.write(path, data, **options))
            assert info.path == path and info.type == FileType.FILE
            assert bytes(await both(files.read(path, format="bytes"))) == data, options
            assert bytes(await both(files.read(path, format="bytes", gzip=True))) == data, options
            pieces = b""
            stream = await both(files.read(path, format="stream"))
            if SYNC:
                for piece in stream:
                    pieces += piece
            else:
                async for piece in stream:
                    pieces += piece
            assert pieces == data
        await both(files.write("text.txt", "Grüße 😀"))
        assert await both(files.read("~/text.txt")) == "Grüße 😀"
        await both(files.write("empty", ""))
        assert await both(files.read("empty")) == ""


@scenario("files/many at once, names as they are, metadata")
async def _():
    async with Sandboxes(BOX) as sandbox:
        files = sandbox.files
        root = fresh("many")
        entries = [{"path": f"{root}/ü '{i}' \"x\"/f{i}", "data": f"content {i}"} for i in range(10)]
        infos = await both(files.write_files(entries, metadata={"Kind": "test"}))
        assert [info.path for info in infos] == [entry["path"] for entry in entries]
        for entry in entries:
            assert await both(files.read(entry["path"])) == entry["data"]
        assert (await both(files.get_info(entries[0]["path"]))).metadata == {"kind": "test"}
        assert await both(files.write_files([])) == []


@scenario("files/info, list, make, rename, remove, exists")
async def _():
    async with Sandboxes(BOX) as sandbox:
        files = sandbox.files
        root = fresh("tree")
        assert await both(files.make_dir(f"{root}/a/b")) is True
        assert await both(files.make_dir(f"{root}/a/b")) is False
        await both(files.write(f"{root}/a/file", "12345"))
        info = await both(files.get_info(f"{root}/a/file"))
        assert (info.size, info.mode, info.permissions, info.owner) == (5, 0o644, "-rw-r--r--", "user"), info
        names = [entry.name for entry in await both(files.list(f"{root}/a"))]
        assert names == ["b", "file"]
        assert len(await both(files.list(root, depth=2))) == 3
        moved = await both(files.rename(f"{root}/a/file", f"{root}/c/moved"))
        assert moved.path == f"{root}/c/moved"
        assert await both(files.exists(f"{root}/a/file")) is False
        await both(files.remove(root))
        assert await both(files.exists(root)) is False
        await both(files.remove(root))
        await rejects(FileNotFoundException, lambda: files.read(f"{root}/a/file"), root)
        await rejects(NotFoundException, lambda: files.list(root))
        await rejects(InvalidArgumentException, lambda: files.read("/home/user"), "directory")
        await rejects(InvalidArgumentException, lambda: files.list("/home/user", depth=0))


@scenario("files/watch")
async def _():
    async with Sandboxes(BOX) as sandbox:
        files = sandbox.files
        root = fresh("watch")
        await both(files.make_dir(f"{root}/sub"))
        events = []
        options = {"recursive": True, "include_entry": True}
        # The synchronous client asks for events; the other one is told.
        handle = await both(files.watch_dir(root, **options) if SYNC else files.watch_dir(root, on_event=events.append, **options))
        await both(files.write(f"{root}/new.txt", "four"))
        await both(files.write(f"{root}/sub/below.txt", "x"))
        await both(files.make_dir(f"{root}/late"))
        await pause(0.3)
        await both(files.write(f"{root}/late/file", "x"))
        await both(files.remove(f"{root}/new.txt"))

        async def all_seen():
            if SYNC:
                events.extend(handle.get_new_events())
            seen = {(event.name, event.type) for event in events}
            return seen >= {
                ("new.txt", FilesystemEventType.CREATE),
                ("new.txt", FilesystemEventType.REMOVE),
                ("sub/below.txt", FilesystemEventType.CREATE),
                ("late/file", FilesystemEventType.CREATE),
            }

        await eventually(lambda: events, all_seen, within=5)
        assert any(event.entry and event.entry.path == f"{root}/sub/below.txt" for event in events), events
        await both(handle.stop())
        if SYNC:
            await rejects(SandboxException, handle.get_new_events)
        await rejects(NotFoundException, lambda: files.watch_dir("/no/such") if SYNC else files.watch_dir("/no/such", on_event=print))
        await rejects(InvalidArgumentException, lambda: files.watch_dir("/etc/passwd") if SYNC else files.watch_dir("/etc/passwd", on_event=print))


@scenario("files/signed addresses")
async def _():
    async with Sandboxes(BOX) as sandbox:
        await both(sandbox.files.write("signed.txt", "by address"))
        headers = {"E2b-Sandbox-Id": sandbox.sandbox_id, "E2b-Sandbox-Port": "49983"}
        address = sandbox.download_url("signed.txt", use_signature_expiration=60)
        assert httpx.get(address, headers=headers).text == "by address"
        late = httpx.get(sandbox.download_url("signed.txt", use_signature_expiration=-60), headers=headers)
        assert late.status_code == 401 and late.json()["code"] == 401
        up = sandbox.upload_url("up.txt", use_signature_expiration=60)
        assert httpx.post(up, files={"file": b"uploaded"}, headers=headers).status_code == 200
        assert await both(sandbox.files.read("up.txt")) == "uploaded"


# -- terminals


@scenario("pty/create, type, resize, connect, kill", only=LINUX)
async def _():
    async with Sandboxes(BOX) as sandbox:
        seen = bytearray()
        if SYNC:
            handle = sandbox.pty.create(PtySize(rows=24, cols=80), envs={"OWN": "value"})
            sandbox.pty.send_stdin(handle.pid, b"echo $OWN $((40+2)) $(tput cols)\n")
            sandbox.pty.resize(handle.pid, PtySize(rows=30, cols=101))
            sandbox.pty.stream_input(handle.pid, [b"echo now $(tput cols)\n", b"exit\n"])
            result = handle.wait(on_pty=seen.extend)
        else:
            handle = await sandbox.pty.create(PtySize(rows=24, cols=80), on_data=seen.extend, envs={"OWN": "value"})
            await sandbox.pty.send_stdin(handle.pid, b"echo $OWN $((40+2)) $(tput cols)\n")

            async def first():
                return b"value 42" in seen

            await eventually(lambda: seen, first)
            await sandbox.pty.resize(handle.pid, PtySize(rows=30, cols=101))
            await sandbox.pty.send_stdin(handle.pid, b"echo now $(tput cols)\nexit\n")
            result = await handle.wait()
        assert result.exit_code == 0
        text = seen.decode(errors="replace")
        assert "value 42" in text and "now 101" in text, text
        other = await both(
            sandbox.pty.create(PtySize(rows=24, cols=80), timeout=0)
            if SYNC
            else sandbox.pty.create(PtySize(rows=24, cols=80), on_data=print, timeout=0)
        )
        assert await both(sandbox.pty.kill(other.pid)) is True


# -- code interpreter


@scenario("interpreter/values, output, errors", only=PYTHON)
async def _():
    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        out = []
        execution = await both(sandbox.run_code("print('é😀')\nx = 20\nx + 22", on_stdout=out.append))
        assert execution.text == "42", execution
        assert execution.logs.stdout == ["é😀\n"] and out[0].line == "é😀\n"
        assert (await both(sandbox.run_code("x"))).text == "20"
        failed = await both(sandbox.run_code("import sys; print('bad', file=sys.stderr)\n1/0"))
        assert failed.error.name == "ZeroDivisionError" and "ZeroDivisionError" in failed.error.traceback
        assert "".join(failed.logs.stderr) == "bad\n"
        assert (await both(sandbox.run_code("import os; os.environ['A']", envs={"A": "of the run"}))).text == "of the run"


@scenario("interpreter/contexts")
async def _():
    language = "python" if PYTHON else "javascript"
    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        context = await both(sandbox.create_code_context(language=language))
        assert context.language == language
        assign = "y = 7" if PYTHON else "globalThis.y = 7"
        await both(sandbox.run_code(assign, context=context))
        assert (await both(sandbox.run_code("y", context=context))).text == "7"
        assert (await both(sandbox.run_code("y", language=language))).error is not None
        assert context.id in [one.id for one in await both(sandbox.list_code_contexts())]
        await both(sandbox.restart_code_context(context))
        assert (await both(sandbox.run_code("y", context=context))).error is not None
        await both(sandbox.remove_code_context(context))
        await rejects(NotFoundException, lambda: sandbox.run_code("1", context=context))
        await rejects(InvalidArgumentException, lambda: sandbox.run_code("1", context=context, language=language))


@scenario("interpreter/charts and data", only=LINUX)
async def _():
    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        execution = await both(sandbox.run_code("import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [1, 2]); plt.title('T'); plt.show()"))
        [result] = [one for one in execution.results if one.chart]
        assert result.png
        assert result.chart.title == "T"
        assert [(bar.label, float(bar.value)) for bar in result.chart.elements] == [("a", 1.0), ("b", 2.0)]
        frame = await both(sandbox.run_code("import pandas as pd\npd.DataFrame({'a': [1, 2]})"))
        assert frame.results[0].data == {"a": [1, 2]}


@scenario("interpreter/languages")
async def _():
    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        assert (await both(sandbox.run_code("6 * 7", language="javascript"))).text == "42"
        await rejects(Exception, lambda: sandbox.run_code("1", language="cobol"), "cobol")
        if LINUX:
            bash = await both(sandbox.run_code("echo $((6*7))", language="bash"))
            assert "".join(bash.logs.stdout) == "42\n"


@scenario("interpreter/too long a run is interrupted")
async def _():
    language = "python" if PYTHON else "javascript"
    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        loop = "while True: pass" if PYTHON else "for (;;) {}"
        await rejects(TimeoutException, lambda: sandbox.run_code(loop, language=language, timeout=1))
        assert (await both(sandbox.run_code("1 + 1", language=language))).text == "2"


@scenario("interpreter/the sandbox is killed while code runs", only=not SYNC and PYTHON)
async def _():
    import asyncio

    async with Sandboxes(CODE_BOX, CODE) as sandbox:
        running = asyncio.ensure_future(sandbox.run_code("import time; time.sleep(30)"))
        await asyncio.sleep(1)
        await sandbox.kill()
        await rejects(TimeoutException, lambda: running)


main(sys.argv[1:])
