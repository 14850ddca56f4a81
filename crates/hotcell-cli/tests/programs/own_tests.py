"""Runs test modules of CPython's but for the tests named first; says how many ran, and which failed."""
import io, sys, unittest

def cases(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from cases(one)
        else:
            yield one

skipped = set(sys.argv[1].split(","))
suite = unittest.TestSuite()
for name in sys.argv[2:]:
    for case in cases(unittest.defaultTestLoader.loadTestsFromName(name)):
        if case.id().rsplit(".", 1)[-1] not in skipped:
            suite.addTest(case)
result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
print(result.testsRun)
for case, text in result.failures + result.errors:
    print(case.id().split(" ")[0].rsplit(".", 1)[-1])
    print(text, file=sys.stderr)
