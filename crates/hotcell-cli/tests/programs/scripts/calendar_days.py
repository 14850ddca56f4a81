"""Dates, intervals, formats."""
import calendar
from datetime import date, datetime, timedelta, timezone

start = date(2024, 1, 31)
print([(start + timedelta(days=30 * step)).isoformat() for step in range(4)])
print(calendar.monthrange(2024, 2), date(2024, 12, 30).isocalendar())
stamp = datetime(2024, 3, 10, 1, 30, tzinfo=timezone(timedelta(hours=-5)))
print(stamp.astimezone(timezone.utc).isoformat(), int(stamp.timestamp()))
print(datetime.strptime("03 Mar 2021 04:05", "%d %b %Y %H:%M").strftime("%A %j %U %p"))
print(calendar.TextCalendar().formatmonth(2024, 2), end="")
