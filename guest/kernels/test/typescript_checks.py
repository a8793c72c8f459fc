"""The JavaScript kernel, asked for TypeScript, where Node.js can strip types."""

from agent import NODE, Kernel
from python_checks import same

NEEDS = "typescript"


def check_types_are_stripped():
    with Kernel(NODE + ["typescript"]) as kernel:
        same(kernel.run("interface P { n: number }\nconst p: P = { n: 41 };\nenum E { A = 1 }\np.n + E.A").value, "42")
        same(kernel.run("(p as any).n satisfies number").value, "41")
        assert "SyntaxError" in kernel.run("let x: = 1").error[0]
        same(kernel.run("type T = string; 0").err, "")


def check_a_cell_names_its_language():
    with Kernel(NODE) as kernel:
        same(kernel.run("let a: number = 1").error[0], "SyntaxError")
        same(kernel.run("let a: number = 1; a", language="typescript").value, "1")
