"""A command line with commands, called with arguments of several kinds."""
import argparse, json, os, sys

def main(arguments):
    parser = argparse.ArgumentParser(prog="todo")
    parser.add_argument("--file", default="/tmp/todo.json")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("text", nargs="+")
    add.add_argument("-p", "--priority", type=int, choices=range(1, 4), default=2)
    commands.add_parser("list").add_argument("--reverse", action="store_true")
    given = parser.parse_args(arguments)
    items = json.load(open(given.file)) if os.path.exists(given.file) else []
    if given.command == "add":
        items.append({"text": " ".join(given.text), "priority": given.priority})
        with open(given.file, "w") as file:
            json.dump(items, file)
    else:
        for item in sorted(items, key=lambda item: item["priority"], reverse=given.reverse):
            print(item["priority"], item["text"])

if os.path.exists("/tmp/todo.json"):
    os.remove("/tmp/todo.json")
sys.stderr = sys.stdout
for words in ["add -p 3 buy milk", "add call Ann", "list", "list --reverse", "add -p 9 x", "remove"]:
    print("$ todo", words)
    try:
        main(words.split())
    except SystemExit as exit:
        print("exit", exit.code)
