"""Exact and inexact numbers."""
import cmath, math
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 50
print(Decimal(2).sqrt(), sum([Decimal("0.1")] * 3) == Decimal("0.3"), 0.1 + 0.2)
print(sum(Fraction(1, n) for n in range(1, 20)))
print(math.comb(60, 30), math.isqrt(10**40 + 1), 3**200 % 1_000_007, pow(7, -1, 31))
print(cmath.sqrt(-2), f"{math.pi:.15f}", float.hex(0.1), round(2.5), divmod(-7, 3))
print((12345678901234567890 << 70).bit_length(), int("zz", 36), f"{255:#010b}", f"{1e16:,.1f}")
