"""Settings of several formats, and where each comes from."""
import configparser, os, shlex, tomllib
from collections import ChainMap

ini = configparser.ConfigParser()
ini.read("data/settings.ini")
print(ini["paths"]["data"], ini.getint("limits", "files"), ini.getboolean("limits", "verbose"))
with open("data/project.toml", "rb") as file:
    project = tomllib.load(file)
print(project["project"], project["tool"]["lint"]["when"].isoformat())
os.environ["APP_WIDTH"] = "80"
known = {name[4:].lower(): value for name, value in os.environ.items() if name.startswith("APP_")}
print(ChainMap(known, project["tool"]["lint"])["width"], shlex.split("run 'a b' c\\ d"), os.environ["HOME"] != "")
