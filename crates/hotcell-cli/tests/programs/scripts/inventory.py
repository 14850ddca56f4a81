"""Dataclasses, enums, protocols, and errors of one's own."""
from __future__ import annotations
import enum
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

class Kind(enum.Enum):
    TOOL = "tool"
    PART = "part"

@dataclass(order=True, frozen=True, slots=True)
class Item:
    price: float
    name: str = field(compare=False)
    kind: Kind = field(default=Kind.PART, compare=False)

class Priced(Protocol):
    price: float

class OutOfStock(LookupError):
    pass

def total(items: list[Priced]) -> float:
    return sum(item.price for item in items)

stock = [Item(9.5, "saw", Kind.TOOL), Item(0.25, "nail"), Item(2.0, "hinge")]
print(min(stock), max(stock).name, f"{total(stock):.2f}")
print(asdict(replace(stock[1], price=0.3)))
try:
    raise OutOfStock("nail") from KeyError("nail")
except OutOfStock as error:
    print(repr(error), "because of", repr(error.__cause__))
try:
    stock[0].price = 1
except Exception as error:
    print(type(error).__name__, error)
