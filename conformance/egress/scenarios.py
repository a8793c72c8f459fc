"""Drives the product in front of the small internet, and checks what comes through. See run.sh."""

import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import cases

ROOT = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
SERVER, INTERNET = f"gbe-s{os.getpid()}", f"gbe-i{os.getpid()}"
SECRET = "s3cret-" + secrets.token_hex(12)
AUTHORISED = hashlib.sha256(f"Bearer {SECRET}".encode()).hexdigest()

passed, failed = 0, []


def check(name, condition, words=""):
    global passed
    if condition:
        passed += 1
    else:
        failed.append(name)
        print(f"FAILED  {name}: {words}", flush=True)


def tiers():
    path = os.environ.get("GLOVEBOX_LEFT_OUT", "")
    out = open(path).read().lower() if os.path.exists(path) else ""
    return [tier for tier in ("jail", "gvisor") if tier not in out]


class World:
    """The namespaces, the internet and the server."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="gbe-")
        self.home = f"{self.directory}/home"
        self.processes = []

    def open(self):
        def ip(*words):
            subprocess.run(["ip", *words], check=True)
        for name in (SERVER, INTERNET):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", SERVER, "link", "add", "out", "type", "veth", "peer", "name", "in", "netns", INTERNET)
        ip("-n", SERVER, "addr", "add", "93.184.217.2/24", "dev", "out")
        ip("-n", SERVER, "link", "set", "out", "up")
        ip("-n", SERVER, "route", "add", "default", "via", "93.184.217.1")
        ip("-n", INTERNET, "addr", "add", "93.184.217.1/24", "dev", "in")
        ip("-n", INTERNET, "link", "set", "in", "up")
        ip("-n", INTERNET, "route", "add", "local", "0.0.0.0/0", "dev", "lo")
        ip("-n", INTERNET, "route", "add", "93.184.217.2/32", "dev", "in", "table", "local")
        self.start(["nsenter", f"--net=/run/netns/{INTERNET}", sys.executable, f"{HERE}/internet.py", self.directory])
        self.until(lambda: os.path.exists(f"{self.directory}/ready"), "the internet")
        os.mkdir(self.home)
        os.symlink(f"{ROOT}/build/test-home/templates", f"{self.home}/templates")
        # The server asks the name servers of its host, and trusts whom its host trusts.
        self.file("resolv.conf", "nameserver 93.184.217.1\n")
        command = f"mount --bind {self.directory}/resolv.conf /etc/resolv.conf && exec nsenter" \
                  f" --net=/run/netns/{SERVER} {ROOT}/glovebox serve --listen 127.0.0.1:0 --allow-jail"
        with open(f"{self.directory}/serve.log", "wb") as log:
            self.start(["unshare", "--mount", "sh", "-c", command], stdout=log, stderr=log)
        self.until(lambda: self.cli("ps", check=False).returncode == 0, "the server")

    def start(self, command, **more):
        env = {**os.environ, "GLOVEBOX_HOME": self.home, "SSL_CERT_FILE": f"{self.directory}/ca.pem"}
        self.processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, env=env, **more))

    def until(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end or self.processes[-1].poll() is not None:
                raise AssertionError(f"{what} did not start")
            time.sleep(0.1)

    def cli(self, *words, check=True, **more):
        env = {**os.environ, "GLOVEBOX_HOME": self.home}
        done = subprocess.run([f"{ROOT}/glovebox", *words], capture_output=True, text=True, env=env, **more)
        if check and done.returncode != 0:
            raise AssertionError(f"glovebox {words}: {done.returncode} {done.stdout} {done.stderr}")
        return done

    def file(self, name, content):
        path = f"{self.directory}/{name}"
        with open(path, "w") as file:
            file.write(content)
        return path

    def close(self):
        # First the server, which ends what it made.
        for process in reversed(self.processes):
            process.stdin.close()
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
        for name in (SERVER, INTERNET):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def holders(self, secret):
        """Which files of the server have these words in them."""
        found = []
        for top, _, names in os.walk(self.home):
            for path in (os.path.join(top, name) for name in names):
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        if secret.encode() in file.read():
                            found.append(path)
        with open(f"{self.directory}/serve.log") as file:
            if secret in file.read():
                found.append("serve.log")
        return found


def inside(world, sandbox, commands):
    """What each command printed, inside."""
    world.cli("cp", world.file("commands.json", json.dumps(commands)), f"{sandbox}:/tmp/commands.json")
    said = world.cli("exec", "--timeout", "5m", sandbox, "--", "python3", "/tmp/all.py", check=False)
    answers = {name: (out, err) for name, out, err in map(json.loads, said.stdout.splitlines())}
    check("every command ran", len(answers) == len(commands), f"{said.returncode} {said.stderr[-500:]}")
    return answers


def fixed_rules(world, tier):
    policy = world.file("policy.json", json.dumps(cases.POLICY))
    sandbox = world.cli("create", "--tier", tier, "--lease", "10m", "--network", policy).stdout.strip()
    for name, content in cases.FILES.items():
        world.cli("cp", world.file(name, content), f"{sandbox}:/tmp/{name}")
    world.cli("cp", f"{world.directory}/ca.pem", f"{sandbox}:/tmp/ca.pem")
    answers = inside(world, sandbox, {name: command for name, (command, _) in cases.OPEN.items()})
    for name, (out, err) in answers.items():
        wanted = cases.OPEN[name][1].replace("AUTHORISED", AUTHORISED)
        check(f"{tier}: {name}", out == wanted, f"{out!r} instead of {wanted!r}; {err}")
    for name, (out, err) in inside(world, sandbox, cases.CLOSED).items():
        check(f"{tier}: {name}", not re.search(cases.BREACH, out, re.MULTILINE), f"{out!r} {err}")
    record = world.cli("audit", "tail", "-n", "1000").stdout
    for rule in cases.REFUSALS:
        check(f"{tier}: {rule} is on the record", rule in record)
    world.cli("cp", world.file("half", SECRET.encode()[::-1].hex()), f"{sandbox}:/tmp/half")
    looked = world.cli("exec", "--user", "root", "--timeout", "2m", sandbox, "--", "python3", "/tmp/remember.py", check=False)
    check(f"{tier}: no secret inside", looked.stdout.strip() == "found []", looked.stdout + looked.stderr)
    world.cli("kill", sandbox)


def changing_rules(world, tier):
    sandbox = world.cli("create", "--tier", tier, "--lease", "10m").stdout.strip()

    def fetched():
        return world.cli("exec", sandbox, "--", "curl", "-s", "-m", "5", "http://www.github.test/", check=False).stdout
    check(f"{tier}: closed from the start", "address" not in fetched())
    world.cli("net", sandbox, "--allow", "www.github.test")
    check(f"{tier}: open after it was opened", "93.184.216.2" in fetched())
    check(f"{tier}: what it did is shown", "www.github.test" in world.cli("net", sandbox).stdout)
    world.cli("net", sandbox, "--close")
    check(f"{tier}: closed after it was closed", "address" not in fetched())
    world.cli("kill", sandbox)


def runs(world, tier):
    # The connection is taken, so that it can be told why it goes no further.
    code = "import socket; s = socket.create_connection(('93.184.216.3', 7), 5); s.send(b'x'); print(s.recv(1))"
    closed = world.cli("run", "--tier", tier, "-c", code, check=False)
    check(f"{tier}: a run without rules reaches nothing", "ConnectionResetError" in closed.stderr, closed.stderr)
    code = "import urllib.request as u; print(u.urlopen('http://files.pypi.test/r').status)"
    opened = world.cli("run", "--tier", tier, "--allow", "files.pypi.test", "-c", code, check=False)
    if opened.stdout != "200\n":
        # Names need everything else closed, which --allow sees to.
        print(opened.stderr)
    check(f"{tier}: a run with a rule reaches what it names", opened.stdout == "200\n", opened.stderr)


def light_tiers(world):
    """Sandboxes without sockets: the same rules, by the means of their languages."""
    policy = world.file("policy.json", json.dumps(cases.POLICY))
    python = ["run", "--tier", "wasm", "--network", policy, "-c"]
    script = ["run", "--tier", "isolate", "--network", policy, "--lang", "javascript", "-c"]
    for name, words, wanted in (
            ("wasm: http by name", python + [cases.URLLIB.format("http://files.pypi.test/b", "r['path']")], "/b"),
            ("wasm: a secret", python + [cases.URLLIB.format("https://api.github.test/", "r['headers']['authorization']")],
             AUTHORISED),
            ("wasm: a tunnel", python + [cases.URLLIB.format("http://web.tunnel/t", "r['path']")], "/t"),
            ("isolate: http by name", script + [cases.FETCH % ("http://files.pypi.test/b", "r.path")], "/b"),
            ("isolate: a secret", script + [cases.FETCH % ("https://api.github.test/", "r.headers.authorization")], AUTHORISED),
            ("isolate: a body", script + [cases.FETCH_POST % ("https://api.github.test/post",
                                                         "r.body")], "hello")):
        said = world.cli(*words, check=False)
        check(name, said.stdout.strip() == wanted, f"{said.stdout!r} instead of {wanted!r}; {said.stderr[-400:]}")
    for url in cases.LIGHT_CLOSED:
        said = world.cli(*python, cases.URLLIB.format(url, "r"), check=False)
        check(f"wasm: {url}", said.returncode == 1 and "address" not in said.stdout, said.stdout + said.stderr[-300:])
        said = world.cli(*script, cases.FETCH % (url, "JSON.stringify(r)"), check=False)
        check(f"isolate: {url}", said.returncode == 1 and "address" not in said.stdout, said.stdout + said.stderr[-300:])


def main():
    world = World()
    try:
        world.open()
        world.cli("secret", "put", "GITHUB", "--host", "api.github.test", input=SECRET)
        world.cli("tunnel", "put", "orders", "93.184.217.1:7")
        world.cli("tunnel", "put", "web", "93.184.217.1:80")
        for tier in tiers():
            fixed_rules(world, tier)
            changing_rules(world, tier)
            runs(world, tier)
        light_tiers(world)
        listed = world.cli("secret", "list").stdout
        check("a secret is not told", SECRET not in listed and "GITHUB" in listed, listed)
    except BaseException:
        failed.append("the suite")
        traceback.print_exc(file=sys.stdout)
    finally:
        world.close()
    holders = world.holders(SECRET)
    check("no file of the server holds the secret", holders == [], str(holders))
    if failed:
        with open(f"{world.directory}/serve.log", errors="replace") as file:
            print("".join(file.readlines()[-15:]))
    shutil.rmtree(world.directory)
    print(f"{passed} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
