"""Files moved into folders by what they are."""
import shutil, tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    root = Path(folder)
    for name in ["a.txt", "b.TXT", "photo.jpg", "notes.md", "deep/er/c.txt"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"this is {name}\n")
    for file in sorted(root.rglob("*")):
        if file.is_file():
            target = root / "sorted" / (file.suffix.lower().lstrip(".") or "none")
            target.mkdir(parents=True, exist_ok=True)
            shutil.move(str(file), str(target / file.name))
    shutil.rmtree(root / "deep")
    shutil.copytree(root / "sorted", root / "copy", ignore=shutil.ignore_patterns("*.jpg"))
    for file in sorted(root.rglob("*")):
        print(file.relative_to(root), file.stat().st_size if file.is_file() else "dir")
    print((root / "copy/txt/c.txt").read_text(), end="")
print(Path(folder).exists())
