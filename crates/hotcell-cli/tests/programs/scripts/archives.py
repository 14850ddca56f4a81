"""Archives made and read again."""
import gzip, io, os, tarfile, zipfile

os.makedirs("/tmp/pack", exist_ok=True)
for name in ("one.txt", "two.txt"):
    with open(f"/tmp/pack/{name}", "w") as file:
        file.write(name * 500)
with zipfile.ZipFile("/tmp/pack.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for name in sorted(os.listdir("/tmp/pack")):
        archive.write(f"/tmp/pack/{name}", name)
with zipfile.ZipFile("/tmp/pack.zip") as archive:
    print(archive.namelist(), archive.testzip(), archive.read("two.txt")[:7], os.path.getsize("/tmp/pack.zip") < 600)
with tarfile.open("/tmp/pack.tar.gz", "w:gz") as archive:
    archive.add("/tmp/pack", arcname="pack")
with tarfile.open("/tmp/pack.tar.gz") as archive:
    print(sorted(archive.getnames()), archive.extractfile("pack/one.txt").read(7))
with gzip.open("/tmp/lines.gz", "wt") as file:
    print(*range(1000), sep="\n", file=file)
print(sum(int(line) for line in gzip.open("/tmp/lines.gz", "rt")))
