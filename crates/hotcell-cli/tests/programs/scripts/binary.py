"""Bytes: hashes, encodings, records."""
import base64, binascii, hashlib, hmac, io, struct, zlib

data = bytes(range(256)) * 8
print(hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest())
print(hmac.new(b"key", data, "sha1").hexdigest(), hashlib.blake2b(data, digest_size=8).hexdigest())
print(base64.b64encode(data[:20]).decode(), base64.b85encode(data[:8]).decode(), hex(binascii.crc32(data)))
packed = zlib.compress(data, 9)
print(len(packed) < 400, zlib.decompress(packed) == data, zlib.adler32(data))
stream = io.BytesIO()
for number, name in enumerate([b"one", b"two"]):
    stream.write(struct.pack("<IHd4s", number, len(name), number / 4, name))
stream.seek(0)
while record := stream.read(struct.calcsize("<IHd4s")):
    print(struct.unpack("<IHd4s", record))
