"""Shortest paths on a grid with walls."""
import heapq

GRID = """\
S..#....
.#.#.##.
.#...#..
.####.#.
......#E"""
rows = GRID.splitlines()
cells = {(x, y): c for y, row in enumerate(rows) for x, c in enumerate(row)}
start = next(at for at, c in cells.items() if c == "S")
goal = next(at for at, c in cells.items() if c == "E")
queue, best, came = [(0, start)], {start: 0}, {}
while queue:
    cost, (x, y) = heapq.heappop(queue)
    if (x, y) == goal:
        break
    for step in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if cells.get(step, "#") != "#" and cost + 1 < best.get(step, 1 << 30):
            best[step], came[step] = cost + 1, (x, y)
            heapq.heappush(queue, (cost + 1, step))
path = [goal]
while path[-1] != start:
    path.append(came[path[-1]])
print(best[goal])
print("\n".join("".join("*" if (x, y) in path else c for x, c in enumerate(row)) for y, row in enumerate(rows)))
