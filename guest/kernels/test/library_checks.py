"""The Python kernel with numpy, pandas and matplotlib."""

import base64

from agent import PYTHON, Kernel
from python_checks import same

NEEDS = "libraries"
CHART = "application/vnd.glovebox.chart+json"
DATA = "application/vnd.glovebox.data+json"


def chart(code):
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import matplotlib.pyplot as plt\n" + code)
        assert cell.exit == 0 and len(cell.results) >= 1, cell
        data = cell.results[-1][1]
        assert base64.b64decode(data["image/png"])[:4] == b"\x89PNG", data.keys()
        return cell.json(CHART, -1)


def check_nothing_is_imported_up_front():
    with Kernel(PYTHON) as kernel:
        same(kernel.run("import sys\n[m for m in ('matplotlib', 'numpy', 'pandas') if m in sys.modules]").value, "[]")


def check_figures_come_at_the_end_and_on_show():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('after')\nplt.plot([3])\nplt.title('t');")
        same([main for main, data in cell.results if "image/png" in data], [False, False], cell)
        same(cell.err, "")
        same(kernel.run("1").value, "1")
        cell = kernel.run("fig, ax = plt.subplots()\nax.plot([1])\nfig")
        same([(main, "image/png" in data) for main, data in cell.results], [(True, True)], cell)
        cell = kernel.run("fig, ax = plt.subplots()\nax.plot([1])\ndisplay(fig)")
        same(len(cell.results), 1)
        cell = kernel.run("fig, ax = plt.subplots()\nax.plot([1])\nfig.show()")
        same((len(cell.results), cell.err), (1, ""))
        cell = kernel.run("plt.plot([1])\n1/0")
        same((len(cell.results), cell.error[0]), (1, "ZeroDivisionError"))
        cell = kernel.run("f = plt.figure()")
        same(cell.results, [])


def check_a_picture_that_is_saved_by_name_is_shown():
    with Kernel(PYTHON) as kernel:
        made = "import io, os, tempfile\nfrom PIL import Image\ni = Image.new('RGB', (8, 8))\nwhere = tempfile.mkdtemp()\n"
        cell = kernel.run(made + "i.save(where + '/a.png')\nos.path.getsize(where + '/a.png') > 0")
        same([(main, "image/png" in data) for main, data in cell.results], [(False, True), (True, False)], cell)
        same(cell.value, "True")
        same(kernel.run("i.save(io.BytesIO(), 'png')\nwith open(where + '/b.png', 'wb') as f:\n    i.save(f)").results, [])
        cell = kernel.run("i.save('/no/such/place.png')")
        same((cell.results, cell.error[0]), ([], "FileNotFoundError"))
        cell = kernel.run("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig(where + '/c.png')")
        same(len(cell.results), 1, cell)


def check_line_chart():
    c = chart("plt.plot([0, 1, 2], [1, 4, 9], label='squares')\nplt.title('T')\nplt.xlabel('Time (s)')\nplt.ylabel('Height [m]')\nplt.grid()\nplt.axhline(2)\nplt.legend();")
    same((c["type"], c["title"], c["x_label"], c["x_unit"], c["y_unit"]), ("line", "T", "Time (s)", "s", "m"))
    same((c["x_scale"], c["y_scale"]), ("linear", "linear"))
    same(c["elements"], [{"label": "squares", "points": [[0, 1], [1, 4], [2, 9]]}])
    same(len(c["x_ticks"]), len(c["x_tick_labels"]))


def check_scales():
    c = chart("import datetime\nplt.plot([datetime.date(2024, 1, d) for d in (1, 2, 3)], [1, 10, 100])\nplt.yscale('log');")
    same((c["x_scale"], c["y_scale"]), ("datetime", "log"))
    assert c["elements"][0]["points"][0][0].startswith("2024-01-01T00:00:00"), c
    assert c["x_ticks"][0].startswith("20"), c
    c = chart("plt.plot(['a', 'b'], [1, 2]);")
    same((c["x_scale"], c["elements"][0]["points"]), ("categorical", [["a", 1], ["b", 2]]))


def check_scatter_chart():
    c = chart("plt.scatter([1, 2], [3, 4], label='g')\nplt.plot([0, 1], [0, 1]);")
    same((c["type"], c["elements"]), ("scatter", [{"label": "g", "points": [[1.0, 3.0], [2.0, 4.0]]}]))


def check_bar_charts():
    c = chart("plt.bar(['a', 'b'], [1, 2]);")
    same(c["type"], "bar")
    same([(e["label"], e["value"]) for e in c["elements"]], [("a", 1), ("b", 2)])
    c = chart("plt.barh(['a', 'b'], [5, 5])\nplt.xlabel('Count')\nplt.ylabel('Name');")
    same((c["x_label"], c["y_label"], [e["value"] for e in c["elements"]]), ("Name", "Count", [5, 5]))
    c = chart("import pandas\npandas.DataFrame({'p': [1, 2], 'q': [3, 4]}, index=['r', 's']).plot.bar();")
    same([(e["group"], e["label"], e["value"]) for e in c["elements"]],
         [("p", "r", 1), ("p", "s", 2), ("q", "r", 3), ("q", "s", 4)])


def check_pie_chart():
    c = chart("plt.pie([1, 3], labels=['a', 'b'])\nplt.title('P');")
    same((c["type"], c["title"]), ("pie", "P"))
    same([(e["label"], e["angle"], e["radius"]) for e in c["elements"]], [("a", 90.0, 1), ("b", 270.0, 1)])


def check_box_charts():
    for options in ("", ", patch_artist=True", ", vert=False", ", vert=False, patch_artist=True", ", notch=False, showmeans=True"):
        c = chart(f"plt.boxplot([[1, 2, 3, 4, 5, 30], [2, 4, 6, 8]]{options})\nplt.gca().{'set_yticklabels' if 'vert' in options else 'set_xticklabels'}(['a', 'b']);")
        same(c["type"], "box_and_whisker", options)
        first, second = c["elements"]
        same((first["label"], first["min"], first["first_quartile"], first["median"], first["third_quartile"], first["max"], first["outliers"]),
             ("a", 1, 2.25, 3.5, 4.75, 5, [30]), options)
        same((second["label"], second["median"], second["outliers"]), ("b", 5, []), options)


def check_superchart_and_unknown():
    c = chart("f, (a, b) = plt.subplots(1, 2)\nf.suptitle('S')\na.plot([1])\nb.bar(['x'], [2]);")
    same((c["type"], c["title"], [e["type"] for e in c["elements"]]), ("superchart", "S", ["line", "bar"]))
    c = chart("plt.imshow([[1, 2], [3, 4]])\nplt.title('I');")
    same((c["type"], c["title"], c["elements"]), ("unknown", "I", []))


def check_frames():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run(
            "import pandas as pd\n"
            "pd.DataFrame({'n': [1, 2], 'f': [0.5, None], 't': pd.to_datetime(['2024-01-01', None]), 's': ['a', 'b']})"
        )
        data = cell.results[0][1]
        assert "<table" in data["text/html"] and "0.5" in data["text/plain"], data
        same(cell.json(DATA), {"n": [1, 2], "f": [0.5, None], "t": ["2024-01-01T00:00:00", None], "s": ["a", "b"]})
        cell = kernel.run("pd.DataFrame({'x': range(300_000)})")
        assert DATA not in cell.results[0][1] and "text/html" in cell.results[0][1]
        cell = kernel.run("pd.Series([1, 2])")
        same(list(cell.results[0][1]), ["text/plain"])


def check_child_processes_can_plot():
    with Kernel(PYTHON) as kernel:
        cell = kernel.run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import matplotlib.pyplot as p; p.plot([1]); print(p.get_backend())']).returncode")
        same((cell.value, cell.out.strip().lower()), ("0", "agg"), cell)
