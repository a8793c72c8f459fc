// Checks of the artifact, through the contract in README.md.  Each check has sandboxes of its own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Host, load } from './host.mjs';

const dist = process.argv[2];
const { wasm, module, start, zip } = load(dist);
const fresh = async (boot, files) => {
  const host = await new Host(module, zip, files).instantiate();
  assert.equal(host.boot(boot).status, 0);
  return host;
};
// One that was started here, and not at build time.
const started = async () => {
  const host = await new Host(module, zip).instantiate();
  host.start(start);
  return host;
};
const out = async (code, stdin = '', host = undefined) => {
  host ??= await fresh();
  host.stdin = Buffer.from(stdin);
  const { status, stdout, stderr } = host.run(code);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout.trimEnd();
};
const error = async (code) => {
  const { status, results } = (await fresh()).run(code);
  assert.equal(status, 1);
  assert.equal(results.length, 1);
  assert.equal(results[0].type, 'error');
  return results[0];
};
const main = (reply) => reply.results.find((r) => r.type === 'result' && r.main)?.data;

const checks = {
  'SHA256SUMS is right': () => {
    const files = {
      'python.wasm': wasm, 'python-start.wasm': start, 'python313.stored.zip': zip,
      'python-start.wasm.gz': readFileSync(`${dist}/python-start.wasm.gz`), 'python.wasm.gz': readFileSync(`${dist}/python.wasm.gz`),
      'python313.zip': readFileSync(`${dist}/python313.zip`),
    };
    const sums = Object.fromEntries(readFileSync(`${dist}/SHA256SUMS`, 'utf8').trim().split('\n').map((l) => l.split(/\s+/).reverse()));
    for (const [name, data] of Object.entries(files)) assert.equal(createHash('sha256').update(data).digest('hex'), sums[name], name);
  },
  'imports are WASI only, exports are the contract': () => {
    assert.deepEqual([...new Set(WebAssembly.Module.imports(module).map((i) => i.module))], ['wasi_snapshot_preview1']);
    assert.deepEqual(WebAssembly.Module.exports(module).map((e) => e.name).sort(),
      ['gb_alloc', 'gb_call', 'gb_init', 'gb_interrupt_bit', 'gb_interrupt_cells', 'memory']);
  },
  'the image names no path of the machine that built it': () => {
    assert.ok(!/\/(tmp|root|work|home)\/[a-z-]+\/(Python-3|native|wasm)/.test(Buffer.from(wasm).toString('latin1')));
  },

  // programs
  'print': async () => assert.equal(await out('print(1 + 1, "äöü €")'), '2 äöü €'),
  'an exception has a traceback with the source line, on stderr and as a result': async () => {
    const { status, stderr, results } = (await fresh()).run('def f(x):\n    return 1 / x\n\nf(0)\n');
    assert.equal(status, 1);
    assert.match(stderr, /^Traceback \(most recent call last\):\n  File "\/home\/user\/main.py", line 4, in <module>\n    f\(0\)\n/);
    assert.match(stderr, /return 1 \/ x\n +~~\^~~\nZeroDivisionError: division by zero\n$/);
    assert.ok(!stderr.includes('_glovebox'));
    assert.deepEqual(results, [{ type: 'error', name: 'ZeroDivisionError', value: 'division by zero', traceback: stderr }]);
  },
  'a syntax error is shown': async () => assert.match((await error('x = = 1')).traceback, /line 1\n    x = = 1\n        \^\nSyntaxError/),
  'sys.exit': async () => {
    const host = await fresh();
    assert.equal(host.run('import sys; sys.exit(3)').status, 3);
    assert.equal(host.run('raise SystemExit').status, 0);
    assert.deepEqual((({ status, stderr }) => ({ status, stderr }))(host.run('exit("no")')), { status: 1, stderr: 'no\n' });
  },
  'atexit functions run': async () => assert.equal(await out('import atexit; atexit.register(print, "bye"); print("hi")'), 'hi\nbye'),
  'stdin': async () => assert.equal(await out('print(input("name? "), input())', 'Ann\nBob\n'), 'name? Ann Bob'),
  'argv, env, cwd, main': async () => {
    const host = await fresh({ argv: ['x.py', 'a'], env: { KEY: 'ä' } });
    const { stdout } = host.run('import sys, os; print(sys.argv, os.environ["KEY"], os.getcwd(), __name__, __file__, sys.path[0])');
    assert.equal(stdout, "['/home/user/main.py', 'a'] ä /home/user __main__ /home/user/main.py /home/user\n");
  },
  'runpath, and a module beside the script': async () => {
    const host = await fresh({}, { '/home/user/p/x.py': 'import y; print(y.z, __file__)', '/home/user/p/y.py': 'z = 7' });
    assert.equal(host.call({ op: 'runpath', path: '/home/user/p/x.py' }).stdout, '7 /home/user/p/x.py\n');
  },
  'runmodule': async () => {
    const host = await fresh();
    host.stdin = Buffer.from('{"a":1}');
    assert.deepEqual(host.call({ op: 'runmodule', module: 'json.tool' }), { status: 0, stdout: '{\n    "a": 1\n}\n', stderr: '', results: [] });
  },
  'packages in the user site': async () => {
    const host = await fresh({}, { '/home/user/.local/lib/python3.13/site-packages/pkg/__init__.py': 'v = 5' });
    assert.equal(host.run('import pkg; print(pkg.v)').stdout, '5\n');
  },
  'a second program finds nothing of the first': async () => {
    const host = await fresh();
    host.run('import sys; x = 1; sys.stdout = None; sys.stderr.close()');
    assert.equal(host.run('print("x" in globals())').stdout, 'False\n');
  },
  'files': async () => assert.equal(await out(`
import os, pathlib, shutil, tempfile
p = pathlib.Path("d/e"); p.mkdir(parents=True); (p / "f").write_text("hi\\n")
with open(p / "f", "a") as f: f.write("ho")
shutil.copy(p / "f", "/tmp/g"); os.rename("/tmp/g", "/tmp/h")
with tempfile.TemporaryDirectory() as t: pathlib.Path(t, "x").touch(); print(os.listdir(t))
print(os.listdir("d"), open("/tmp/h").read().split(), os.path.getsize("/tmp/h"))
shutil.rmtree("d"); print(os.listdir("."))
try: open("/lib/python313.zip", "r+b")
except OSError as e: print(e.strerror)`), "['x']\n['e'] ['hi', 'ho'] 5\n[]\nRead-only file system"),

  // the standard library
  'zlib, gzip, zipfile': async () => assert.equal(await out(`
import zlib, gzip, zipfile
d = b"abc" * 1000
assert zlib.decompress(zlib.compress(d)) == d and gzip.decompress(gzip.compress(d)) == d
with zipfile.ZipFile("/tmp/a.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("x", d)
print(zipfile.ZipFile("/tmp/a.zip").read("x") == d)`), 'True'),
  'asyncio': async () => assert.equal(await out(`
import asyncio
async def work(n):
    await asyncio.sleep(n / 100); return n
async def main():
    print(await asyncio.gather(work(2), work(1)))
    try: await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except TimeoutError: print("late")
    q = asyncio.Queue()
    async with asyncio.TaskGroup() as g:
        g.create_task(q.put(5)); t = g.create_task(q.get())
    print(t.result(), await asyncio.to_thread(pow, 2, 5))
asyncio.run(main())`), '[2, 1]\nlate\n5 32'),
  'asyncio says when nothing can wake a task': async () =>
    assert.match((await error('import asyncio; asyncio.run(asyncio.Event().wait())')).value, /^deadlock/),
  'accelerated modules': async () => assert.equal(await out(`
import _decimal, _datetime, _json, _elementtree, pyexpat, _csv, _struct, _bisect, _heapq, _random, _statistics, _pickle
import array, binascii, math, cmath, hashlib, decimal, datetime, xml.etree.ElementTree as E, zoneinfo
print(decimal.Decimal(1) / 3, E.fromstring("<a><b/></a>")[0].tag, hashlib.sha256(b"").hexdigest()[:8], hashlib.blake2b().name,
      hashlib.md5(b"").hexdigest()[:4], hashlib.sha3_256().name, zoneinfo.ZoneInfo, datetime.datetime(2026, 1, 2).isoformat())`),
    "0.3333333333333333333333333333 b e3b0c442 blake2b d41d sha3_256 <class 'zoneinfo.ZoneInfo'> 2026-01-02T00:00:00"),
  'unicodedata and East Asian codecs, whose tables come from the zip': async () => {
    assert.equal(await out('import unicodedata as u; print(u.name("€"), u.normalize("NFD", "ä") == "a\\u0308", "\\N{SNOWMAN}")'), 'EURO SIGN True ☃');
    assert.equal(await out('print("日本".encode("shift_jis"), b"\\xc4\\xe3".decode("gbk"), "한".encode("euc-kr"), "中".encode("big5"))'),
      "b'\\x93\\xfa\\x96{' 你 b'\\xc7\\xd1' b'\\xa4\\xa4'");
  },
  'every module of the zip can be imported': async () => assert.equal(await out(`
import importlib, zipimport
for name in sorted(zipimport._zip_directory_cache["/lib/python313.zip"]):
    module = name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")
    if not name.endswith(".pyc") or module.endswith("__main__"): continue
    try: importlib.import_module(module)
    except BaseException as e: print(module, repr(e))`), ''),
  'a frozen module can be reloaded': async () =>
    assert.equal(await out('import importlib, os, stat; importlib.reload(stat); importlib.reload(os); print(os.sep)'), '/'),
  'help and signatures of built-in functions': async () =>
    assert.match(await out('import inspect; print(inspect.signature(len)); help(len)'), /^\(obj, \/\)\nHelp on built-in function len/),
  'stdlib asserts are kept, docstrings are not': async () =>
    assert.equal(await out('import json, textwrap\nprint(json.loads.__doc__)'), 'None'),
  'assert statements work': async () => assert.equal((await error('assert 1 == 2, "no"')).name, 'AssertionError'),
  'pickle of a class in __main__, dataclasses': async () => assert.equal(await out(`
import pickle, dataclasses
@dataclasses.dataclass
class P: x: int
print(pickle.loads(pickle.dumps(P(3))))`), 'P(x=3)'),

  // each copy of the image is its own
  'random numbers differ between instances': async () => {
    const code = 'import random, uuid, secrets, os, tempfile; print(random.random(), random.Random().random(), uuid.uuid4(), secrets.token_hex(8), os.urandom(8), tempfile.mktemp())';
    const [a, b] = [(await out(code)).split(' '), (await out(code)).split(' ')];
    a.forEach((value, i) => assert.notEqual(value, b[i]));
  },
  'the same entropy gives the same numbers': async () => {
    const host = () => fresh({ entropy: '00'.repeat(64) });
    assert.equal((await host()).run('import random; print(random.random())').stdout, (await host()).run('import random; print(random.random())').stdout);
  },
  'the hash seed is the image\'s, as README.md says': async () => assert.equal(await out('print(hash("abc"))'), await out('print(hash("abc"))')),
  'a start of one\'s own gives a hash seed of one\'s own': async () => {
    const hashes = [];
    for (const host of [await fresh(), await started(), await started()]) {
      host.boot();
      hashes.push(await out('import sys; print(hash("abc"), sys.flags.hash_randomization)', '', host));
    }
    assert.equal(new Set(hashes).size, 3);
    assert.deepEqual(hashes.map((text) => text.split(' ')[1]), ['0', '1', '1']);
  },
  'and is an image like the one of the build': async () => {
    const first = await started(), image = first.u8.slice();
    assert.equal(image.length, 20 << 20);
    const code = `
import sys, json, asyncio, collections.abc
for module in list(sys.modules.values()):
    for name in list(vars(module)): assert getattr(module, "".join(list(name))) is vars(module)[name]
assert isinstance({}, collections.abc.Mapping) and asyncio.run(asyncio.sleep(0, 5)) == 5
print(len(sys.modules), *sorted(sys.modules), *sys.path, sys.argv, sys.flags.isolated, display.__doc__, json.dumps({"a": 1}))`;
    const built = await out(code);
    for (let i = 0; i < 2; i++) {
      const host = await new Host(module, zip).instantiate();
      host.u8.set(image);
      assert.equal(host.boot().status, 0);
      assert.equal(await out(code, '', host), built);
    }
    const used = (bytes) => bytes.reduce((count, byte) => count + (byte !== 0), 0);
    const frozen = await new Host(module, zip).instantiate();
    assert.ok(Math.abs(used(image) / used(frozen.u8) - 1) < 0.01, 'it is as large');
  },
  'the clock is right': async () => {
    const [now, wall] = (await out('import time, datetime; print(time.time(), datetime.datetime.now(datetime.UTC).timestamp())')).split(' ');
    assert.ok(Math.abs(now - Date.now() / 1000) < 2 && Math.abs(wall - Date.now() / 1000) < 2);
  },
  'sleep sleeps': async () => {
    const before = Date.now();
    await out('import time; time.sleep(0.05)');
    assert.ok(Date.now() - before >= 50);
  },

  // what is missing
  'missing modules name the tiers that have them': async () => {
    for (const name of ['numpy', 'pandas', 'scipy.stats', 'matplotlib.pyplot', 'requests', 'PIL', 'torch', 'sklearn', 'ssl', 'sqlite3', 'multiprocessing']) {
      const { name: kind, value } = await error(`import ${name}`);
      assert.equal(kind, 'ModuleNotFoundError');
      assert.match(value, new RegExp(`^No module named '${name.split('.')[0]}': the wasm tier has no .*; use --tier gvisor, microvm or jail, whose templates have it$`));
    }
    assert.equal((await error('import frobnicate')).value, "No module named 'frobnicate'");
  },
  'processes, threads and sockets too': async () => {
    for (const code of ['import subprocess; subprocess.run(["ls"])', 'import os; os.system("ls")', 'import threading; threading.Thread(target=print).start()',
      'import socket; socket.socket()', 'import socket; socket.create_connection(("localhost", 80))', 'import urllib.request as u; u.urlopen("http://localhost/")'])
      assert.match((await error(code)).value, /the wasm tier has no (processes|threads|network sockets); use --tier gvisor, microvm or jail/, code);
  },

  // errors the host looks for by name
  'recursion ends in RecursionError, whatever recurses': async () => {
    const nest = 'x = []\nfor i in range(100000): x = [x]\n';
    for (const code of ['def f(): f()\nf()', 'import json\njson.loads("[" * 100000)', nest + 'repr(x)', nest + 'import pickle; pickle.dumps(x)',
      nest + 'import copy; copy.deepcopy(x)', nest + 'import json; json.dumps(x)', nest + 'y = []\nfor i in range(100000): y = [y]\nx == y',
      'compile("+".join(["1"] * 50000), "x", "eval")', 'class A:\n  def __repr__(self): return repr(self)\nrepr(A())',
      'class A:\n  def __getattr__(self, n): return self.y\nA().x', 'class A:\n  def __add__(self, o): return A() + A()\nA() + 1',
      'f = lambda x: sorted([x], key=f)\nf(1)', 'g = lambda *a: list(map(g, [1]))\ng()', 's = "exec(s)"\nexec(s)', 'class A:\n  def __iter__(self): return iter(list(self))\nlist(A())'])
      assert.equal((await error(code)).name, 'RecursionError', code);
    for (const code of ['compile("(" * 5000 + ")" * 5000, "x", "eval")', 'compile("-" * 50000 + "1", "x", "eval")'])
      assert.match((await error(code)).name, /MemoryError|SyntaxError/, code);
    assert.equal(await out('print(eval("[" * 50 + "]" * 50))'), '['.repeat(50) + ']'.repeat(50));
  },
  'MemoryError, and the sandbox goes on': async () => {
    const host = await fresh();
    const { results } = host.run('x = []\nwhile True: x.append(bytearray(1 << 27))');
    assert.equal(results[0].name, 'MemoryError');
    assert.equal(host.run('print("alive")').stdout, 'alive\n');
  },
  'an interrupt raises KeyboardInterrupt': async () => {
    const host = await fresh();
    host.interruptAfter = 5; // the fifth look at the clock from now on
    const { status, results } = host.run('import time\nwhile True: time.monotonic()');
    assert.deepEqual([status, results[0].name], [130, 'KeyboardInterrupt']);
    assert.match(results[0].traceback, /line 2, in <module>/);
  },
  'a late interrupt hurts nothing': async () => {
    const host = await fresh();
    host.interrupt();
    assert.equal(host.run('print("fine")').stdout, 'fine\n');
  },
  'an error that cannot be shown': async () => {
    assert.equal((await error('class E(Exception):\n  def __str__(self): raise ValueError\nraise E')).name, 'E');
    const host = await fresh();
    host.interruptAfter = 5;
    const code = 'import time\nclass E(Exception):\n  def __str__(self):\n    while True: time.monotonic()\nraise E';
    assert.equal(host.run(code).results[0].name, 'KeyboardInterrupt');
    assert.equal(host.run('print(1)').stdout, '1\n');
  },

  // contexts
  'contexts keep state, apart from each other': async () => {
    const host = await fresh();
    for (const context of ['c1', 'c2']) assert.equal(host.call({ op: 'open', context, cwd: '/home/user' }).status, 0);
    assert.deepEqual(host.execute('x = 5').results, [{ type: 'end', status: 'ok' }]);
    assert.deepEqual(host.execute('x + 1').results, [{ type: 'result', main: true, data: { 'text/plain': '6' } }, { type: 'end', status: 'ok' }]);
    assert.equal(host.execute('x', 'c2').results[0].name, 'NameError');
    assert.equal(host.call({ op: 'close', context: 'c2' }).status, 0);
    assert.equal(host.execute('1', 'c2').results[0].name, 'LookupError');
    assert.deepEqual(main(host.execute('import os; os.chdir("/tmp"); _')), { 'text/plain': '6' });
    assert.deepEqual(main(host.execute('os.getcwd()')), { 'text/plain': "'/tmp'" });
  },
  'a traceback of a cell shows its source and no kernel frames': async () => {
    const host = await fresh();
    host.call({ op: 'open', context: 'c1' });
    host.execute('def f():\n    raise KeyError("k")');
    const { status, stderr, results } = host.execute('\nf()');
    assert.deepEqual([status, stderr], [1, '']);
    assert.deepEqual(results.map((r) => r.type), ['error', 'end']);
    assert.equal(results[0].traceback, 'Traceback (most recent call last):\n  File "<cell 2>", line 2, in <module>\n    f()\n    ~^^\n' +
      '  File "<cell 1>", line 2, in f\n    raise KeyError("k")\nKeyError: \'k\'\n');
  },
  'rich results and display': async () => {
    const host = await fresh();
    host.call({ op: 'open', context: 'c1' });
    const { results } = host.execute(`
class R:
    def __repr__(self): return "R!"
    def _repr_html_(self): return "<b>"
    def _repr_png_(self): return b"\\x89PNG"
    def _repr_json_(self): return {"a": [1]}
    def _repr_svg_(self): raise ValueError
    def _repr_mimebundle_(self, include=None, exclude=None): return {"x/y": "z"}
display(R(), 7)
R()`);
    const data = { 'x/y': 'z', 'text/html': '<b>', 'image/png': 'iVBORw==', 'application/json': { a: [1] }, 'text/plain': 'R!' };
    assert.deepEqual(results, [
      { type: 'result', main: false, data }, { type: 'result', main: false, data: { 'text/plain': '7' } },
      { type: 'result', main: true, data }, { type: 'end', status: 'ok' }]);
  },
  'hostile objects': async () => {
    const host = await fresh();
    host.call({ op: 'open', context: 'c1' });
    assert.equal(host.execute('class A:\n  def __repr__(self): raise ValueError("r")\nA()').results[0].name, 'ValueError');
    host.execute('import time\nclass B:\n  def __repr__(self):\n    while True: time.monotonic()');
    host.interruptAfter = 5;
    assert.equal(host.execute('B()').results[0].name, 'KeyboardInterrupt');
    const text = main(host.execute('"x" * (3 << 20)'))['text/plain'];
    assert.ok(text.length < 1.1 * (1 << 20));
    assert.match(text, /\[cut by Glovebox: 1048576 of 3145730 characters shown\]$/);
    assert.equal(host.execute('exit(3)').results[0].name, 'SystemExit');
    assert.deepEqual(main(host.execute('1')), { 'text/plain': '1' });
  },
  'top-level await, and an interrupted one': async () => {
    const host = await fresh();
    host.call({ op: 'open', context: 'c1' });
    assert.deepEqual(main(host.execute('import asyncio, time\nawait asyncio.sleep(0.01)\nawait asyncio.sleep(0, 42)')), { 'text/plain': '42' });
    assert.deepEqual(main(host.execute('asyncio.run(asyncio.sleep(0, 43))')), { 'text/plain': '43' });
    host.interruptAfter = 50;
    assert.equal(host.execute('while True: await asyncio.sleep(0)').results[0].name, 'KeyboardInterrupt');
    assert.deepEqual(main(host.execute('await asyncio.sleep(0, 44)')), { 'text/plain': '44' });
  },
  'environment of one execution': async () => {
    const host = await fresh({ env: { A: 'old' } });
    host.call({ op: 'open', context: 'c1' });
    const code = 'import os; (os.environ.get("A"), os.environ.get("B"))';
    assert.equal(main(host.execute(code, 'c1', { env: { A: 'new', B: 'b' } }))['text/plain'], "('new', 'b')");
    assert.equal(main(host.execute(code))['text/plain'], "('old', None)");
  },
  'classes of a cell can be pickled, their source found': async () => {
    const host = await fresh();
    host.call({ op: 'open', context: 'c1' });
    host.execute('import pickle, inspect\nclass C: pass\ndef f(): pass');
    assert.equal(main(host.execute('type(pickle.loads(pickle.dumps(C()))) is C, inspect.getsource(f)'))['text/plain'], "(True, 'def f(): pass\\n')");
  },
  'a request that makes no sense is answered': async () => {
    const host = await fresh();
    assert.equal(host.call({ op: 'nonsense' }).results[0].name, 'KeyError');
    assert.equal(host.run('print(1)').stdout, '1\n');
  },
};

let failed = 0;
const slow = process.env.SLOW;
for (const [name, check] of Object.entries(checks)) {
  const begun = Date.now();
  try {
    await check();
    if (slow) console.log(Date.now() - begun, name);
  } catch (reason) {
    failed++;
    console.log(`FAILED  ${name}\n${String(reason?.stack ?? reason).split('\n').slice(0, 25).join('\n')}\n`);
  }
}
console.log(`${Object.keys(checks).length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
