"""A small internet for tests, in a network namespace in which every address is local: name servers, web servers with
certificates of an authority of the test's own, echoes of TCP and UDP. No threads of its own survive it.

    internet.py DIRECTORY      makes DIRECTORY/ca.pem, writes DIRECTORY/ready, serves until its standard input ends
"""

import hashlib
import http.server
import json
import os
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time

# What the name servers say. A name with two lists changes its mind from one question to the next.
NAMES = {
    "api.github.test": ["93.184.216.1"],
    "www.github.test": ["93.184.216.2"],
    "files.pypi.test": ["93.184.216.3"],
    "slow.test": ["93.184.216.4"],
    "redirect.test": ["93.184.216.5"],
    "inside.test": ["10.1.2.3"],
    "metadata.test": ["169.254.169.254"],
    "loop.test": ["127.0.0.1"],
    "shared.test": ["93.184.216.1"],
}
ALIASES = {"alias.test": "inside.test"}
asked = []


def certificate(directory):
    """An authority, and one certificate for all names, by openssl."""
    def openssl(*words, **more):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=directory, **more)
    names = ",".join(f"DNS:{name}" for name in [*NAMES, *ALIASES, "*.pypi.test"])
    with open(f"{directory}/leaf.cnf", "w") as file:
        file.write(f"subjectAltName={names}\n")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test internet")
    openssl("req", *new, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=test server")
    openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "leaf.pem",
            "-days", "2", "-extfile", "leaf.cnf")


def question(packet):
    """The name of a query, and where it ends."""
    labels, at = [], 12
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1").lower())
        at += 1 + packet[at]
    return ".".join(labels), at + 5


def answer(packet):
    name, end = question(packet)
    kind = int.from_bytes(packet[end - 4:end - 2], "big")
    asked.append(name)
    records = []
    if name in ALIASES:
        target = b"".join(bytes([len(part)]) + part.encode() for part in ALIASES[name].split(".")) + b"\0"
        records.append(b"\xc0\x0c\0\x05\0\x01\0\0\0\x05" + len(target).to_bytes(2, "big") + target)
        owner = target
        addresses = NAMES[ALIASES[name]]
    else:
        owner = b"\xc0\x0c"
        addresses = NAMES.get(name, [])
    if kind == 1:
        for address in addresses:
            records.append(owner + b"\0\x01\0\x01\0\0\0\x05\0\x04" + socket.inet_aton(address))
    found = name in NAMES or name in ALIASES
    flags = b"\x81\x80" if found else b"\x81\x83"
    return packet[:2] + flags + b"\0\x01" + len(records).to_bytes(2, "big") + b"\0\0\0\0" + packet[12:end] + b"".join(records)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers.get("Host", "").split(":")[0]
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if host == "redirect.test":
            self.send_response(302)
            self.send_header("Location", "http://inside.test/" if self.path == "/in" else "https://www.github.test/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if host == "slow.test":
            time.sleep(2)
        if self.path.startswith("/bytes/"):
            count = int(self.path[7:])
            self.send_response(200)
            self.send_header("Content-Length", str(count))
            self.end_headers()
            piece = bytes(1 << 16)
            while count > 0:
                count -= self.wfile.write(piece[:count] if count < len(piece) else piece)
            return
        headers = {k.lower(): v for k, v in self.headers.items()}
        if "authorization" in headers:
            # What must not enter the sandbox is not sent back into it.
            headers["authorization"] = hashlib.sha256(headers["authorization"].encode()).hexdigest()
        text = json.dumps({
            "host": host, "path": self.path, "method": self.command, "body": body.decode("latin-1"),
            "address": self.connection.getsockname()[0], "headers": headers,
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_PUT = do_GET

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 2048

    def handle_error(self, *_):
        pass


def echo_tcp(listener):
    while True:
        client, _ = listener.accept()

        def serve(client=client):
            with client:
                try:
                    while data := client.recv(1 << 16):
                        client.sendall(data)
                except OSError:
                    pass
        threading.Thread(target=serve, daemon=True).start()


def serve_datagrams(port, reply):
    # To answer from the address that was asked, it has to be known.
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO
    server.bind(("0.0.0.0", port))
    while True:
        data, extra, _, peer = server.recvmsg(4096, 64)
        info = extra[0][2]
        source = (0).to_bytes(4, "little") + info[8:12] + info[8:12]
        try:
            server.sendmsg([reply(data)], [(socket.IPPROTO_IP, 8, source)], 0, peer)
        except OSError:
            pass


def main(directory):
    certificate(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{directory}/leaf.pem", f"{directory}/leaf.key")
    for port, secure in ((80, False), (443, True), (8443, True)):
        server = Server(("0.0.0.0", port), Web)
        if secure:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    for port in (7, 22):
        listener = socket.create_server(("0.0.0.0", port), backlog=2048)
        threading.Thread(target=echo_tcp, args=(listener,), daemon=True).start()
    threading.Thread(target=serve_datagrams, args=(53, answer), daemon=True).start()
    threading.Thread(target=serve_datagrams, args=(123, lambda data: data), daemon=True).start()
    with open(f"{directory}/ready", "w"):
        pass
    sys.stdin.read()
    with open(f"{directory}/asked", "w") as file:
        file.write("\n".join(asked))


if __name__ == "__main__":
    os.umask(0o077)
    main(sys.argv[1])
