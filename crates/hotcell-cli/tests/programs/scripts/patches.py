"""Differences between texts, and names that match patterns."""
import difflib, fnmatch, glob, pprint

old = "def add(a, b):\n    return a + b\n\nprint(add(1, 2))\n".splitlines(keepends=True)
new = "def add(a, b, c=0):\n    return a + b + c\n\nprint(add(1, 2))\n".splitlines(keepends=True)
print("".join(difflib.unified_diff(old, new, "a/add.py", "b/add.py")), end="")
print(difflib.get_close_matches("pritn", ["print", "point", "sprint", "pin"]), round(difflib.SequenceMatcher(None, "abcd", "bcde").ratio(), 2))
print(sorted(glob.glob("data/*.[ct]*")), fnmatch.filter(["a.py", "b.txt", "c.pyc"], "*.py?"))
pprint.pprint({"b": list(range(30)), "a": {"nested": ("x" * 40, "y" * 40)}}, width=60)
