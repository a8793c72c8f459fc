package dev.glovebox.testkit.escape;

import dev.glovebox.core.Language;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.testkit.BackendBench;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Get powers that a sandbox does not have: processes, native code, devices, the network, another clock.
public abstract class PowersEscapeSuite extends EscapeTopic {
    private static final Attack PROCESSES = new Attack("""
            import os
            def run():
                import subprocess
                return subprocess.run(['/bin/sh', '-c', 'id'], capture_output=True).stdout
            attempt('subprocess', run)
            attempt('system', lambda: os.system('id'), harmless=lambda got: got != 0)
            attempt('fork', lambda: os.fork())
            attempt('exec', lambda: os.execv('/bin/sh', ['sh', '-c', 'echo ESCAPED exec']))
            attempt('spawn', lambda: os.posix_spawn('/bin/sh', ['sh'], {}))
            attempt('popen', lambda: os.popen('id').read(), harmless=lambda got: got == '')
            attempt('kill', lambda: os.kill(1, 9))
            def multi():
                import multiprocessing
                process = multiprocessing.Process(target=print, args=('ESCAPED multi',))
                process.start()
            attempt('multiprocessing', multi)
            """, """
            attempt('child_process', () => require('child_process').execSync('id'));
            attempt('cluster', () => require('cluster').fork());
            attempt('worker', () => require('worker_threads'));
            attempt('kill', () => process.kill(1, 9));
            attempt('binding', () => process.binding('spawn_sync'));
            attempt('dlopen', () => process.dlopen({ exports: {} }, '/lib/x.node'));
            attempt('addon', () => require('/lib/x86_64-linux-gnu/libc.so.6'));
            attempt('module', () => process.mainModule.require('child_process'));
            attempt('deno', () => Deno.run({ cmd: ['id'] }));
            attempt('bun', () => Bun.spawnSync(['id']));
            attempt('java', () => Java.type('java.lang.Runtime'));
            attempt('packages', () => Packages.java.lang.System);
            attempt('std', () => std.popen('id', 'r'));
            attempt('os', () => os.exec(['id']));
            """);

    private static final Attack NATIVE = new Attack("""
            import os, sys
            def c():
                import ctypes
                return ctypes.CDLL(None)
            attempt('ctypes', c)
            def foreign():
                import _ctypes
                return _ctypes.dlopen('/lib/x86_64-linux-gnu/libc.so.6', 0)
            attempt('_ctypes', foreign)
            def extension():
                import importlib.machinery, importlib.util
                loader = importlib.machinery.ExtensionFileLoader('x', '/lib/x.so')
                return importlib.util.module_from_spec(importlib.util.spec_from_loader('x', loader))
            attempt('extension', extension)
            for device in ['/dev/mem', '/dev/kmem', '/dev/kvm', '/dev/sda', '/proc/kcore', '/proc/self/mem']:
                attempt(device, lambda: open(device, 'rb').read(16))
            attempt('chroot', lambda: os.chroot('/'))
            attempt('setuid', lambda: os.setuid(0))
            attempt('mknod', lambda: os.mknod('/home/user/dev', 0o20666, 1 * 256 + 1))
            """, """
            attempt('binding', () => process.binding('fs'));
            attempt('linked', () => process._linkedBinding('fs'));
            attempt('natives', () => new Function('return %GetOptimizationStatus(1)')());
            attempt('vm', () => require('vm').runInThisContext('1'));
            attempt('inspector', () => require('inspector'));
            attempt('v8', () => require('v8').setFlagsFromString('--allow-natives-syntax'));
            attempt('ffi', () => require('ffi'));
            attempt('gc', () => gc());
            attempt('d8', () => load('/etc/passwd'));
            attempt('read', () => read('/etc/passwd'));
            for (const device of ['/dev/mem', '/dev/kvm', '/dev/sda', '/proc/kcore', '/proc/self/mem']) {
                attempt(device, () => require('fs').readFileSync(device));
            }
            """);

    private static final Attack NETWORK = new Attack("""
            def tcp():
                import socket
                return socket.create_connection(('1.1.1.1', 80), timeout=2)
            attempt('tcp', tcp)
            def metadata():
                import urllib.request
                return urllib.request.urlopen('http://169.254.169.254/latest/meta-data/', timeout=2).read()
            attempt('metadata', metadata)
            def local():
                import socket
                for port in (22, 80, 443, 5432, 7070, 8080):
                    try:
                        socket.create_connection(('127.0.0.1', port), timeout=0.2)
                        return port
                    except ConnectionRefusedError:
                        pass
                raise OSError('no port answers')
            attempt('local', local)
            def unix():
                import socket
                s = socket.socket(socket.AF_UNIX)
                s.connect('/var/run/docker.sock')
                return s
            attempt('unix', unix)
            def dns():
                import socket
                return socket.gethostbyname('example.com')
            attempt('dns', dns)
            def listen():
                import socket
                s = socket.socket()
                s.bind(('0.0.0.0', 0))
                s.listen()
                return s
            attempt('listen', listen)
            """, """
            attempt('net', () => require('net').connect(80, '1.1.1.1'));
            attempt('http', () => require('http').get('http://169.254.169.254/'));
            attempt('dns', () => require('dns').lookup('example.com', () => {}));
            attempt('dgram', () => require('dgram').createSocket('udp4'));
            attempt('socket', () => new WebSocket('ws://127.0.0.1/'));
            attempt('xhr', () => new XMLHttpRequest());
            attempt('events', () => new EventSource('http://127.0.0.1/'));
            const later = (name, promise) => promise.then((got) => print('ESCAPED ' + name + ' ' + got),
                (error) => print('refused ' + name + ' ' + error.message));
            (async () => {
                await later('fetch', (async () => fetch('http://169.254.169.254/'))());
                await later('import', (async () => import('http://127.0.0.1/x.js'))());
                await later('data', (async () => import('data:text/javascript,export default 1'))());
            })();
            """);

    private static final Attack CLOCK = new Attack("""
            import time
            attempt('set', lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
            attempt('negative', lambda: time.sleep(-1))
            attempt('endless', lambda: time.sleep(1e300))
            attempt('nan', lambda: time.sleep(float('nan')))
            before = time.monotonic_ns()
            attempt('backwards', lambda: time.monotonic_ns() < before, harmless=lambda got: not got)
            """, """
            const before = performance.now();
            attempt('backwards', () => performance.now() < before, (got) => !got);
            attempt('negative', () => setTimeout(() => {}, -1), () => true);
            attempt('nan', () => setTimeout(() => {}, NaN), () => true);
            attempt('wait', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1),
                (got) => got === 'timed-out');
            """);

    protected PowersEscapeSuite(Supplier<BackendBench> benches) {
        super(benches);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void thereAreNoProcesses(Language language) {
        if (!bench().can(Capability.SHELL)) {
            repelled(language, PROCESSES);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void thereIsNoNativeCodeAndNoDevice(Language language) {
        if (!bench().can(Capability.NATIVE_PACKAGES)) {
            repelled(language, NATIVE);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void thereIsNoNetwork(Language language) {
        repelled(language, NETWORK);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theClockIsNotTheGuests(Language language) {
        repelled(language, CLOCK);
    }
}
