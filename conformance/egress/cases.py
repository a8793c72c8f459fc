"""What is tried inside a sandbox: commands by name. `jq_ PATH` prints a field of the JSON that the small internet answers."""

POLICY = {
    "allowOut": [
        "api.github.test", "*.pypi.test", "redirect.test", "alias.test", "inside.test", "metadata.test", "loop.test",
        "tcp://www.github.test:22", "93.184.216.9:8443", "udp://93.184.216.7:123",
    ],
    "rules": {"api.github.test": [{"transform": {"headers": {"Authorization": "Bearer ${e2b.secrets.GITHUB}"}}}]},
    "tunnels": ["orders", "web"],
}

# A command, and what it must print. AUTHORISED is what the server makes of the secret.
OPEN = {
    "https by name": ("curl -s --cacert /tmp/ca.pem https://files.pypi.test/a | jq_ address", "93.184.216.3"),
    "upper case and a dot at the end": ("curl -s http://FILES.pypi.test./a | jq_ address", "93.184.216.3"),
    "http by name": ("curl -s http://files.pypi.test/b | jq_ path", "/b"),
    "https by the sandbox's own authority, with a secret":
        ("curl -s https://api.github.test/user | jq_ headers.authorization", "AUTHORISED"),
    "the guest's own header does not count":
        ("curl -s -H 'Authorization: mine' https://api.github.test/ | jq_ headers.authorization", "AUTHORISED"),
    "urllib": ("python3 -c \"import urllib.request as u; print(u.urlopen('https://api.github.test/u').status)\"", "200"),
    "a body": ("curl -s -d hello=world https://api.github.test/post | jq_ body", "hello=world"),
    "much": ("curl -s http://files.pypi.test/bytes/50000000 | wc -c", "50000000"),
    "a tunnel": ("python3 /tmp/echo.py orders.tunnel 7", "echo"),
    "raw by name": ("python3 /tmp/echo.py www.github.test 22", "echo"),
    "an address and a port": ("curl -sk https://93.184.216.9:8443/c | jq_ path", "/c"),
    "udp to its one address": ("python3 /tmp/udp.py 93.184.216.7 123", "echo"),
    "a name resolves": ("getent ahostsv4 files.pypi.test | head -1 | cut -d' ' -f1", "93.184.216.3"),
}

# Nothing of the small internet may answer any of these: it would answer with its own words.
CURL = "curl -sk -m 5"
CLOSED = {
    "an address that no rule names": f"{CURL} https://93.184.216.2/",
    "the address of an open name, alone": f"{CURL} https://93.184.216.3/",
    "decimal": f"{CURL} http://1572395010/",
    "octal": f"{CURL} http://0135.0270.0330.02/",
    "hexadecimal": f"{CURL} http://0x5db8d802/",
    "mapped into IPv6": f"{CURL} 'http://[::ffff:93.184.216.2]/'",
    "IPv6": f"{CURL} 'http://[2600::1]/'",
    "another port of an open name": f"{CURL} https://files.pypi.test:8443/",
    "a name that no rule names": f"{CURL} https://www.github.test/",
    "the parent of a wildcard": f"{CURL} https://pypi.test/",
    "an alias of a private address": f"{CURL} http://alias.test/",
    "a name for a private address": f"{CURL} http://inside.test/",
    "a name for the metadata service": f"{CURL} http://metadata.test/latest/meta-data/",
    "a name for loopback": f"{CURL} http://loop.test/",
    "a private address": f"{CURL} http://10.1.2.3/",
    "the metadata service": f"{CURL} http://169.254.169.254/latest/meta-data/",
    "the host's address": f"{CURL} http://93.184.217.2/",
    "the gate's address": f"{CURL} http://10.254.254.1/",
    "another host in the request": f"{CURL} -H 'Host: www.github.test' http://files.pypi.test/",
    "two hosts in the request":
        "python3 /tmp/raw.py files.pypi.test 'GET / HTTP/1.1|Host: files.pypi.test|Host: www.github.test||'",
    "an absolute form for another host":
        "python3 /tmp/raw.py files.pypi.test 'GET http://www.github.test/ HTTP/1.1|Host: files.pypi.test||'",
    "CONNECT": "python3 /tmp/raw.py files.pypi.test 'CONNECT www.github.test:443 HTTP/1.1|Host: files.pypi.test||'",
    "two lengths": "python3 /tmp/raw.py files.pypi.test"
                   " 'POST / HTTP/1.1|Host: files.pypi.test|Content-Length: 5|Transfer-Encoding: chunked||0||'",
    "another name in the handshake": f"{CURL} --resolve www.github.test:443:93.184.216.3 https://www.github.test/",
    "an open name at another address": f"{CURL} --resolve files.pypi.test:443:93.184.216.2 https://files.pypi.test/",
    "a redirect into a private range": f"{CURL} -L http://redirect.test/in",
    "a redirect to a closed name": f"{CURL} -L http://redirect.test/out",
    "a proxy that is named": f"http_proxy=http://93.184.216.2:80 {CURL} http://files.pypi.test/",
    "DNS over TLS": f"{CURL} https://1.1.1.1:853/",
    "DNS over HTTPS": f"{CURL} 'https://1.1.1.1/dns-query?name=www.github.test'",
    "plain HTTP where a secret would be sent": f"{CURL} http://api.github.test/",
    "an echo": "python3 /tmp/echo.py 93.184.216.2 7",
    "an open name's other service": "python3 /tmp/echo.py files.pypi.test 22",
    "another port of a tunnel": "python3 /tmp/echo.py orders.tunnel 22",
    "a tunnel that is not named": "python3 /tmp/echo.py secret.tunnel 7",
    "UDP": "python3 /tmp/udp.py 93.184.216.2 123",
    "UDP to the other port": "python3 /tmp/udp.py 93.184.216.7 53",
    "QUIC": "python3 /tmp/udp.py 93.184.216.3 443",
    "a name server of one's own": "python3 /tmp/udp.py 9.9.9.9 53",
    "ping": "ping -c 1 -W 1 93.184.216.3",
    "a raw socket": "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print(\"BREACH\")'",
    "a packet socket": "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print(\"BREACH\")'",
}
BREACH = r'"address"|"headers"|^echo$|BREACH|bytes from'
# What refuses them.
REFUSALS = [
    "deny_out ALL_TRAFFIC", "always.private", "always.metadata", "always.host", "name.address", "name.plaintext",
    "name.missing", "name.not_allowed", "http.framing", "udp.closed", "udp.quic", "dns.closed", "dns.special",
]

URLLIB = "import json, urllib.request as u; r = json.load(u.urlopen('{}', timeout=5)); print({})"
FETCH = "const r = await (await fetch('%s')).json(); console.log(%s)"
FETCH_POST = "const r = await (await fetch('%s', { method: 'POST', body: 'hello' })).json(); console.log(%s)"
LIGHT_CLOSED = [
    "http://93.184.216.2/", "http://www.github.test/", "https://files.pypi.test:8443/", "http://inside.test/",
    "http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:7070/healthz", "http://redirect.test/in",
    "http://api.github.test/", "http://orders.tunnel/", "http://1572395010/",
]

ECHO = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
s.sendall(b"echo")
print(s.recv(100).decode("latin-1"))
"""

UDP = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(1)
s.connect((sys.argv[1], int(sys.argv[2])))
s.send(b"echo")
print(s.recv(100).decode("latin-1"))
"""

RAW = r"""
import socket, sys
s = socket.create_connection((sys.argv[1], 80), 5)
s.settimeout(5)
s.sendall(sys.argv[2].replace("|", "\r\n").encode())
while part := s.recv(1 << 16):
    print(part.decode("latin-1"))
"""

# Runs all commands, and prints a line of JSON for each: name, output, errors.
ALL = r"""
import json, subprocess
PICK = '''jq_() { python3 -c "
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1].split('.'):
    value = value[key]
print(value)" "$1"; }
'''
for name, command in json.load(open("/tmp/commands.json")).items():
    try:
        done = subprocess.run(["bash", "-c", PICK + command], capture_output=True, text=True, timeout=60)
        print(json.dumps([name, done.stdout.strip()[-2000:], done.stderr.strip()[-500:]]), flush=True)
    except subprocess.TimeoutExpired:
        print(json.dumps([name, "", "timeout"]), flush=True)
"""

# Looks for the secret in all memory and all files that root can read. It comes backwards, so that handing it in is not
# finding it.
REMEMBER = r"""
import glob, os, re
secret = bytes.fromhex(open("/tmp/half").read().strip())[::-1]
found = []
looked = 0
for maps in glob.glob("/proc/[0-9]*/maps"):
    pid = maps.split("/")[2]
    if int(pid) == os.getpid():
        continue
    try:
        memory = open(f"/proc/{pid}/mem", "rb", 0)
        for line in open(maps):
            bounds = re.match("([0-9a-f]+)-([0-9a-f]+) r", line)
            if bounds:
                start, end = (int(b, 16) for b in bounds.groups())
                if end - start < 64 << 20:
                    try:
                        memory.seek(start)
                        looked += 1
                        if secret in memory.read(end - start):
                            found.append(pid)
                    except (OSError, ValueError, OverflowError):
                        pass
    except OSError:
        pass
for top in ("/home", "/tmp", "/etc", "/root", "/var", "/run"):
    for directory, _, names in os.walk(top):
        for name in names:
            try:
                looked += 1
                if secret in open(os.path.join(directory, name), "rb").read(8 << 20):
                    found.append(name)
            except OSError:
                pass
print("found", found if looked > 100 else "nothing to look at")
"""

FILES = {"echo.py": ECHO, "udp.py": UDP, "raw.py": RAW, "all.py": ALL, "remember.py": REMEMBER}
