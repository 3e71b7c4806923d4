"""Writes x.npy (23, 3) of f32 and y.npy (23, 1) of i32 in [0, 4) into a folder."""
import struct
import sys


def save(path, dtype, shape, data):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


rows = 23
save(sys.argv[1] + "/x.npy", "<f4", (rows, 3), struct.pack(f"<{rows * 3}f", *[(i * 7 % 11) / 11 for i in range(rows * 3)]))
save(sys.argv[1] + "/y.npy", "<i4", (rows, 1), struct.pack(f"<{rows}i", *[i % 4 for i in range(rows)]))
