"""The most frequent words of some files."""
import collections, re, sys

counts = collections.Counter()
for name in ["data/app.log", "data/users.json", "data/settings.ini"]:
    with open(name, encoding="utf-8") as file:
        counts.update(re.findall(r"[^\W\d_]+", file.read().lower()))
for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]:
    print(f"{count:4} {word}")
print(len(counts), "words", file=sys.stderr)
