"""Numbers, a table and a picture with numpy, pandas and matplotlib:

./glovebox run --tier gvisor --fetch report.png examples/pandas_report.py
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(seed=7)
days = pd.date_range("2026-01-01", periods=90, freq="D")
visits = 400 + 3 * np.arange(90) + 60 * np.sin(np.arange(90) * 2 * np.pi / 7) + rng.normal(0, 15, 90)
frame = pd.DataFrame({"visits": visits.round().astype(int)}, index=days)
frame["sold"] = rng.binomial(frame["visits"], 0.08)

table = frame.groupby(frame.index.month_name(), sort=False).agg({"visits": ["sum", "mean"], "sold": "sum"}).round(1)
print(table)

figure, axes = plt.subplots(figsize=(8, 4))
frame["visits"].plot(ax=axes, label="visits a day")
frame["visits"].rolling(7).mean().plot(ax=axes, label="mean of 7 days")
axes.set_title("Visits")
axes.set_ylabel("visits (1/day)")
axes.legend()
figure.savefig("report.png", dpi=120, bbox_inches="tight")
print("the picture is report.png")

try:
    display(figure)  # in a code interpreter the picture and its data are results too
except NameError:
    pass  # a plain program has nobody to show it to
