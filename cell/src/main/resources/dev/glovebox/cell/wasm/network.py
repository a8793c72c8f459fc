# Lets http.client, urllib.request and socket.create_connection reach what the sandbox may: WASI has no sockets, and the
# host shows connections as files, /dev/tcp/HOST/PORT/MILLISECONDS and /dev/tls/... (DialDevice.java). Run once in an
# interpreter whose network is open; modules that are not imported yet are changed when they are.
import errno as _errno
import importlib.machinery as _machinery
import os as _os
import sys as _sys

_FOR_EVER = 0


def _error(error):
    if error.errno == _errno.ETIMEDOUT:
        return TimeoutError("timed out")
    try:
        return OSError(error.errno, _os.readlink("/dev/net/why"))
    except OSError:
        return error


def _open(kind, host, port, timeout):
    if not isinstance(host, str) or not host or "/" in host or "\0" in host:
        raise OSError(_errno.EINVAL, "a connection goes to a host")
    if not 0 < int(port) < 65536:
        raise OverflowError("port must be 1-65535.")
    millis = _FOR_EVER if timeout is None else max(1, min(int(timeout * 1000), 999_999_999))
    try:
        return _os.open(f"/dev/{kind}/{host}/{int(port)}/{millis}", _os.O_RDWR)
    except OSError as error:
        raise _error(error) from None


def _connection_class(socket):
    class Connection:
        """A connection of the wasm tier: what a connected socket does that programs of HTTP use."""

        family, type, proto = socket.AF_INET, socket.SOCK_STREAM, 0
        makefile = socket.socket.makefile
        _decref_socketios = socket.socket._decref_socketios
        close = socket.socket.close

        def __init__(self, address, timeout, kind="tcp"):
            self._fd = -1
            self._io_refs = 0
            self._closed = False
            self._peer = address
            self._timeout = timeout
            self._fd = _open(kind, address[0], address[1], timeout)

        def _real_close(self):
            fd, self._fd = self._fd, -1
            if fd >= 0:
                _os.close(fd)

        def __enter__(self):
            return self

        def __exit__(self, *args):
            if not self._closed:
                self.close()

        def __del__(self):
            self._real_close()

        def fileno(self):
            return self._fd

        def detach(self):
            fd, self._fd = self._fd, -1
            self._closed = True
            return fd

        def recv(self, size, flags=0):
            try:
                return _os.read(self._fd, size)
            except OSError as error:
                raise _error(error) from None

        def recv_into(self, buffer, nbytes=0, flags=0):
            view = memoryview(buffer).cast("B")
            data = self.recv(min(nbytes or len(view), len(view)))
            view[: len(data)] = data
            return len(data)

        def send(self, data, flags=0):
            try:
                return _os.write(self._fd, data)
            except OSError as error:
                raise _error(error) from None

        def sendall(self, data, flags=0):
            left = memoryview(data).cast("B")
            while left:
                left = left[self.send(left[:65536]) :]

        def settimeout(self, timeout):
            self._timeout = timeout

        def gettimeout(self):
            return self._timeout

        def setblocking(self, flag):
            if not flag:
                raise OSError(_errno.ENOTSUP, "a connection of the wasm tier waits")

        def setsockopt(self, *args):
            pass

        def getpeername(self):
            return self._peer

        def shutdown(self, how):
            pass

    return Connection


def _patch_socket(socket):
    for name, value in (("AF_INET", 1), ("SOCK_STREAM", 6), ("IPPROTO_TCP", 6), ("TCP_NODELAY", 1)):
        if not hasattr(socket, name):
            setattr(socket, name, value)
    connection = _connection_class(socket)

    def create_connection(address, timeout=socket._GLOBAL_DEFAULT_TIMEOUT, source_address=None, *, all_errors=False):
        return connection(address, _seconds(socket, timeout))

    socket.create_connection = create_connection
    socket._glovebox_connection = connection


def _seconds(socket, timeout):
    return socket.getdefaulttimeout() if timeout is socket._GLOBAL_DEFAULT_TIMEOUT else timeout


def _patch_http_client(client):
    socket = client.socket

    class HTTPSConnection(client.HTTPConnection):
        """As with the module ssl, but that the host speaks TLS and trusts whom the sandbox trusts."""

        default_port = client.HTTPS_PORT

        def __init__(self, host, port=None, *, timeout=socket._GLOBAL_DEFAULT_TIMEOUT, source_address=None,
                     context=None, blocksize=8192):
            if context is not None:
                raise ValueError("the wasm tier has no module ssl: the host speaks TLS, and takes no context")
            super().__init__(host, port, timeout, source_address, blocksize=blocksize)

        def connect(self):
            if self._tunnel_host:
                raise OSError(_errno.ENOTSUP, "the wasm tier has no TLS through a proxy")
            _sys.audit("http.client.connect", self, self.host, self.port)
            host = self.host[1:-1] if self.host[:1] == "[" else self.host
            self.sock = socket._glovebox_connection((host, self.port), _seconds(socket, self.timeout), "tls")

    client.HTTPSConnection = HTTPSConnection
    if "HTTPSConnection" not in client.__all__:
        client.__all__.append("HTTPSConnection")


def _patch_urllib_request(request):
    client = request.http.client

    class HTTPSHandler(request.AbstractHTTPHandler):
        def __init__(self, debuglevel=None, context=None, check_hostname=None):
            super().__init__(debuglevel)
            if context is not None or check_hostname is not None:
                raise ValueError("the wasm tier has no module ssl: the host speaks TLS, and takes no context")

        def https_open(self, req):
            return self.do_open(client.HTTPSConnection, req)

        https_request = request.AbstractHTTPHandler.do_request_

    request.HTTPSHandler = HTTPSHandler
    request._opener = None


_patches = {"socket": _patch_socket, "http.client": _patch_http_client, "urllib.request": _patch_urllib_request}


class _Loader:
    def __init__(self, loader, patch):
        self._loader = loader
        self._patch = patch

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._patch(module)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        patch = _patches.pop(name, None)
        spec = None if patch is None else _machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader = _Loader(spec.loader, patch)
        return spec


for _name in list(_patches):
    if _name in _sys.modules:
        _patches.pop(_name)(_sys.modules[_name])
if _patches:
    _sys.meta_path.insert(0, _Finder)
