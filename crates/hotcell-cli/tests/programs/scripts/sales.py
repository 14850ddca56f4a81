"""Sums by group, written as CSV."""
import csv, decimal
from collections import defaultdict

totals = defaultdict(decimal.Decimal)
with open("data/orders.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        totals[row["region"], row["customer"]] += decimal.Decimal(row["amount"])
with open("/tmp/totals.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["region", "customer", "total"])
    writer.writerows([*key, float(total)] for key, total in sorted(totals.items()))
print(open("/tmp/totals.csv", encoding="utf-8").read(), end="")
