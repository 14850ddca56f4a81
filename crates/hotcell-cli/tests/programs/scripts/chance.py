"""Numbers by chance, from a seed."""
import bisect, random, statistics

random.seed(20240501)
values = [random.gauss(100, 15) for _ in range(2000)]
print(round(statistics.mean(values), 6), [round(cut, 4) for cut in statistics.quantiles(values, n=4)])
print(random.sample(range(1000), 6), random.choices("abc", weights=[1, 2, 7], k=12))
marks = [60, 85, 100, 115, 140]
histogram = [0] * (len(marks) + 1)
for value in values:
    histogram[bisect.bisect(marks, value)] += 1
print(histogram)
inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(20_000))
print(4 * inside / 20_000)
