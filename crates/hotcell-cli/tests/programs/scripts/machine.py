"""A small language: tokens, a parser by precedence, an evaluator; errors that name their place."""
import re
from contextlib import contextmanager

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(.))")
POWER = {"+": (10, 11), "-": (10, 11), "*": (20, 21), "/": (20, 21), "^": (31, 30)}
APPLY = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "^": lambda a, b: a**b}

def parse(text):
    tokens = [(n or o, m.start(m.lastindex)) for m in TOKEN.finditer(text) for n, o in [m.groups()]] + [("", len(text))]
    at = 0

    def expression(least):
        nonlocal at
        token, place = tokens[at]
        at += 1
        if token == "(":
            value = expression(0)
            if tokens[at][0] != ")":
                raise SyntaxError(f"no ')' at {tokens[at][1]}")
            at += 1
        elif token == "-":
            value = -expression(25)
        elif token[:1].isdigit():
            value = float(token)
        else:
            raise SyntaxError(f"unexpected {token or 'end'!r} at {place}")
        while (operator := tokens[at][0]) in POWER and POWER[operator][0] >= least:
            at += 1
            value = APPLY[operator](value, expression(POWER[operator][1]))
        return value

    value = expression(0)
    if tokens[at][0]:
        raise SyntaxError(f"unexpected {tokens[at][0]!r} at {tokens[at][1]}")
    return value

@contextmanager
def told(text):
    try:
        yield
    except (SyntaxError, ZeroDivisionError) as error:
        print(f"{text}: {type(error).__name__}: {error}")

for text in ["1 + 2 * 3", "2 ^ 3 ^ 2", "-(4 - 6) * 2.5", "8 / (3 - 3)", "2 * (1 + ", "1 $ 2", "7 - 2 - 1"]:
    with told(text):
        print(text, "=", parse(text))
