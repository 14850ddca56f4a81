"""What a log says, by level and by path."""
import re, statistics
from datetime import datetime

LINE = re.compile(r"(?P<time>\S+) (?P<level>[A-Z]+)\s+(?P<unit>\w+)\s+(?P<text>.*)")
levels, times, skipped, stamps = {}, [], 0, []
for line in open("data/app.log", encoding="utf-8"):
    found = LINE.fullmatch(line.rstrip("\n"))
    if not found:
        skipped += 1
        continue
    levels[found["level"]] = levels.get(found["level"], 0) + 1
    stamps.append(datetime.fromisoformat(found["time"]))
    if ms := re.search(r"\bms=(\d+)", found["text"]):
        times.append(int(ms[1]))
print(levels, "skipped", skipped)
print("median", statistics.median(times), "mean", round(statistics.mean(times), 2), "stdev", round(statistics.stdev(times), 3))
print("span", stamps[-1] - stamps[0])
