"""Nested JSON as rows of paths."""
import json

def flatten(value, path=""):
    match value:
        case dict() if value:
            for key, inner in value.items():
                yield from flatten(inner, f"{path}.{key}" if path else key)
        case list() if value:
            for index, inner in enumerate(value):
                yield from flatten(inner, f"{path}[{index}]")
        case _:
            yield path, value

with open("data/users.json", encoding="utf-8") as file:
    document = json.load(file)
for path, value in flatten(document):
    print(f"{path} = {json.dumps(value, ensure_ascii=False)}")
print(json.dumps(document["users"][2], indent=2, sort_keys=True))
