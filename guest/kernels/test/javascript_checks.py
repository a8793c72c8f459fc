"""The JavaScript kernel."""

import time

from agent import NODE, Kernel
from python_checks import same

NEEDS = "node"


def check_state_and_last_value():
    with Kernel(NODE) as kernel:
        cell = kernel.run("var x = 41; let y = 1; const z = [x]; class A { m() { return y } } function f() { return x + y }")
        same((cell.results, cell.exit), ([], 0), cell)
        same(kernel.run("f()").value, "42")
        same(kernel.run("new A().m() + z[0]").value, "42")
        same(kernel.run("const z = 5; let y = 2; class A {}; z + y").value, "7")
        same(kernel.run("_").value, "7")
        same(kernel.run("{ a: 1 }").value, "{ a: 1 }")
        same(kernel.run("").results, [])


def check_values_and_json():
    with Kernel(NODE) as kernel:
        cell = kernel.run("({ a: [1, 'b', null] })")
        same(cell.results[0], (True, {"text/plain": "{ a: [ 1, 'b', null ] }", "application/json": '{"a":[1,"b",null]}'}))
        same(list(kernel.run("new Map([[1, 2]])").results[0][1]), ["text/plain"])
        for code, text in {"NaN": "NaN", "-0": "-0", "10n": "10n", "null": "null", "'s'": "'s'", "Symbol.for('q')": "Symbol(q)"}.items():
            same(kernel.run(code).value, text)
        same(kernel.run("undefined").results, [])


def check_streams():
    with Kernel(NODE) as kernel:
        cell = kernel.run("console.log('out %d', 1); console.error('err'); process.stdout.write('x'.repeat(3000000)); 0")
        same((cell.out[:6], len(cell.stdout), cell.err), ("out 1\n", 3000006, "err\n"))
        cell = kernel.run("require('child_process').execSync('echo child', { stdio: 'inherit' })")
        same(cell.out, "child\n")


def check_await():
    with Kernel(NODE) as kernel:
        same(kernel.run("const wait = (n) => new Promise((r) => setTimeout(() => r(n), 10)); const v = await wait(3); v + 1").value, "4")
        same(kernel.run("v").value, "3")
        same(kernel.run("async function main() { await wait(1); console.log('done'); return 8 }\nmain()").value, "8")
        same(kernel.run("for await (const q of [wait(1), wait(2)]) console.log(q)").out, "1\n2\n")


def check_errors_are_clean():
    with Kernel(NODE) as kernel:
        cell = kernel.run("function inner() {\n    throw new RangeError('bad value');\n}\ninner();")
        name, value, text = cell.error
        same((name, value, cell.exit, cell.err), ("RangeError", "bad value", 1, ""))
        assert "cell-1.js:2:11" in text and "javascript.js" not in text and "node:" not in text, text
        name, value, text = kernel.run("let a = 1;\nlet b = = 2;").error
        assert name == "SyntaxError" and "cell-2.js:2" in text and "let b = = 2;" in text and "javascript.js" not in text, text
        same(kernel.run("throw 'text'").error[1], "'text'")
        same(kernel.run("await Promise.reject(new TypeError('z'))").error[:2], ("TypeError", "z"))
        same(kernel.run("setTimeout(() => { throw new Error('later') }, 5); await new Promise((r) => setTimeout(r, 2000))").error[1], "later")
        same(kernel.run("Promise.reject(new Error('floating')); 1").exit, 1)
        _, _, text = kernel.run("require('fs').readFileSync('/nope')").error
        assert "ENOENT" in text and "cell-" in text, text
        same(kernel.run("nope").error[:2], ("ReferenceError", "nope is not defined"))
        same(kernel.run("1 + 1").value, "2")


def check_display_and_representations():
    with Kernel(NODE) as kernel:
        cell = kernel.run("display([1]); display({ _repr_html_: () => '<b>', _repr_png_: () => Buffer.from('png') }); ({ [Symbol.for('Jupyter.display')]: () => ({ 'text/markdown': '*m*' }) })")
        same([main for main, _ in cell.results], [False, False, True])
        same((cell.results[1][1]["text/html"], cell.results[1][1]["image/png"]), ("<b>", "cG5n"))
        same(cell.results[2][1]["text/markdown"], "*m*")
        cell = kernel.run("await display({ _repr_html_: async () => '<i>' })")
        same(cell.results[0][1]["text/html"], "<i>")
        cell = kernel.run("({ _repr_png_: () => Buffer.alloc(9000000) })")
        assert list(cell.results[0][1]) == ["text/plain"] and "image/png (12000000 bytes)" in cell.err, cell
        assert len(kernel.run("'x'.repeat(3000000)").value) < 1100000


def check_modules():
    with Kernel(NODE, directory="/tmp") as kernel:
        same(kernel.run("const fs = require('fs'); fs.existsSync('/')").value, "true")
        same(kernel.run("import path, { join as j } from 'node:path';\nimport * as os from 'os'\nj('a', 'b') + path.sep + typeof os.cpus").value, "'a/b/function'")
        same(kernel.run("(await import('fs')).existsSync === fs.existsSync").value, "true")
        kernel.run("fs.writeFileSync('/tmp/gb-kernel-test.mjs', 'export const v = 5; export default 6')")
        same(kernel.run("import six, { v } from './gb-kernel-test.mjs'; v + six").value, "11")
        same(kernel.run("'import x from \"y\"' + `import(${1 + '}'.length})` + /import('a')/.source // import(").value, "`import x from \"y\"import(2)import('a')`")
        same(kernel.run("import.meta.dirname").value, "'/tmp'")
        name, _, text = kernel.run("import x from 'no-such-package-here'").error
        assert name == "Error" and "no-such-package-here" in text, text
        same(kernel.run("require.main === module").value, "true")
        kernel.run("fs.unlinkSync('/tmp/gb-kernel-test.mjs')")


def check_environment_of_one_execution():
    with Kernel(NODE, env={"KEPT": "old"}) as kernel:
        code = "[process.env.KEPT, process.env.NEW]"
        same(kernel.run(code, env={"KEPT": "new", "NEW": "a=b"}).value, "[ 'new', 'a=b' ]")
        same(kernel.run(code).value, "[ 'old', undefined ]")


def check_interrupt():
    with Kernel(NODE) as kernel:
        kernel.run("var k = 7")
        for body in ("for (;;) {}", "await null; for (;;) {}", "queueMicrotask(() => { for (;;) {} }); 1", "new (require('async_hooks').AsyncLocalStorage)().run(1, () => { for (;;) {} })", "for (;;) console.log(1)", "(() => { for (;;) { try { for (;;) {} } catch {} } })()"):
            cell = kernel.run(f"console.log('ready'); {body}", interrupt_on="ready")
            same((cell.error[0], cell.exit), ("KeyboardInterrupt", 1), cell)
            assert cell.seconds < 5, cell
            same(kernel.run("k").value, "7", body)
            same(kernel.run("console.log(1)").out, "1\n", body)
        kernel.send("console.log('ready'); await new Promise(() => {})")
        time.sleep(0.2)  # the loop must have come to rest: Node.js drops a signal that comes just before
        kernel.interrupt()
        same(kernel.finish().error[0], "KeyboardInterrupt")
        kernel.interrupt()
        time.sleep(0.1)
        same(kernel.run("k").value, "7")


def check_exit_ends_the_cell():
    with Kernel(NODE) as kernel:
        cell = kernel.run("var kept = 1; process.exit(0)")
        same((cell.exit, cell.error), (0, None), cell)
        cell = kernel.run("process.exit(3)")
        same((cell.exit, cell.error[1]), (1, "process.exit(3) ended the cell"))
        same(kernel.run("kept").value, "1")


def check_cells_in_a_queue():
    with Kernel(NODE) as kernel:
        kernel.send("await new Promise((r) => setTimeout(r, 50)); console.log(1)")
        kernel.send("console.log(2)")
        first = kernel.finish()
        second = first if first.out == "1\n2\n" else kernel.finish()
        same(first.out[:2], "1\n")
        same(second.exit, 0)


def check_long_programs():
    with Kernel(NODE) as kernel:
        same(kernel.run("const s = '" + "x" * 300_000 + "ö'; s.length").value, "300001")


def check_memory_does_not_grow():
    with Kernel(NODE) as kernel:
        kernel.run("var big = () => new Array(300000).fill({})")
        for _ in range(20):
            kernel.run("console.log(big().length); big()")
        megabytes = float(kernel.run("process.memoryUsage().rss / 1e6").value)
        assert megabytes < 700, megabytes


def check_interrupts_do_not_cut_records():
    with Kernel(NODE) as kernel:
        for size, times in ((4_000_000, 3), (1000, 1000000)):
            code = f"var b = {{ _repr_html_: () => 'h'.repeat({size}) }}; display(b); console.log('ready'); for (let i = 0; i < {times}; i++) display(b); for (;;) {{}}"
            cell = kernel.run(code, interrupt_on="ready", seconds=10)
            same(cell.error[0], "KeyboardInterrupt")
            assert len(cell.results) > 0
            same(kernel.run("1").value, "1")


def check_results_keep_their_order():
    with Kernel(NODE) as kernel:
        cell = kernel.run("display('a'.repeat(300000)); display('b'); await null; display('c'); 'd'")
        same([data["text/plain"][1] for _, data in cell.results], ["a", "b", "c", "d"])
