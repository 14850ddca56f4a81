"""Dynamic programming, memory of functions, iterators."""
import functools, itertools, operator

@functools.cache
def common(one, other):
    if not one or not other:
        return ""
    if one[-1] == other[-1]:
        return common(one[:-1], other[:-1]) + one[-1]
    return max(common(one[:-1], other), common(one, other[:-1]), key=len)

print(common("agriculture", "arithmetic culture"))
print(list(itertools.accumulate(range(1, 8), operator.mul)))
print([(key, len(list(group))) for key, group in itertools.groupby("aaabccddd")])
print(functools.reduce(lambda most, x: max(most, x % 97), range(1000), 0), sum(1 for _ in itertools.permutations(range(6))))
print([*itertools.islice((n for n in itertools.count(2) if all(n % d for d in range(2, n))), 12)])
