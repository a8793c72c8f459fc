"""Reads a file that was handed in and leaves a result behind:

./glovebox run --file data.csv --fetch summary.json examples/report.py
"""

import csv
import json
import statistics
from pathlib import Path

data = Path("data.csv")
rows = list(csv.DictReader(data.open())) if data.exists() else [{"value": str(n)} for n in range(1, 11)]
values = [float(row["value"]) for row in rows]
summary = {"rows": len(values), "mean": statistics.mean(values), "stdev": statistics.stdev(values)}
Path("summary.json").write_text(json.dumps(summary, indent=2))
print(json.dumps(summary))
