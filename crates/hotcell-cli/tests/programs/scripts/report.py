"""Text for people."""
import string, textwrap

rows = [("Oslo", 709_037, 4.26), ("Gent", 265_086, -1.5), ("İzmir", 2_937_000, 12.0)]
width = max(len(name) for name, *_ in rows)
for name, people, change in rows:
    print(f"{name:<{width}} | {people:>12,} | {change:+7.1f}%")
text = "The quick brown fox jumps over the lazy dog, and then, since nobody minds, does it again and again. "
print(textwrap.indent(textwrap.fill(text * 2, 44), "> "))
print(string.Template("Dear $name, you owe ${amount} $$.").substitute(name="Bo", amount=12))
print("straße".upper(), "ǅ".lower(), "naïve café".title(), "x".center(9, "·"), repr("tab\tü\u200b"))
