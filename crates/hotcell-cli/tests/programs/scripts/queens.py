"""Backtracking with generators."""
def solve(size, row=0, columns=(), rising=(), falling=()):
    if row == size:
        yield columns
        return
    for column in range(size):
        if column not in columns and row + column not in rising and row - column not in falling:
            yield from solve(size, row + 1, columns + (column,), rising + (row + column,), falling + (row - column,))

solutions = list(solve(7))
print(len(solutions), solutions[0])
for column in solutions[0]:
    print("." * column + "Q" + "." * (6 - column))
