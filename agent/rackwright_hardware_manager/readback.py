"""Reads places of a device from its medium, and judges after an erase what is left at them.

Needs nothing but Python, and takes any device or file.
"""

import fcntl
import hashlib
import mmap
import os
import random

BLOCK = 4096
EDGE = 1024 * 1024
PLACES = 1000
SHOWN = 8
BLKFLSBUF = 0x1261
DIRECT = getattr(os, "O_DIRECT", 0)

ZERO = bytes(BLOCK)
ONES = b"\xff" * BLOCK

# What may stand at a place after an erase, from the strictest to the loosest:
#   zero     zeros
#   empty    zeros, or ones, which flash shows where nothing is written
#   changed  that, or anything but what stood there before: a drive whose key is gone, and one that writes a
#            pattern of its maker, read as noise
RULES = ("zero", "empty", "changed")


class Medium:
    """An open device. Reads go past the page cache where the device allows it; `direct` says whether."""

    def __init__(self, path):
        self.path = path
        self.direct = DIRECT != 0
        try:
            self._fd = os.open(path, os.O_RDONLY | DIRECT)
        except OSError:
            # A file system without direct reads: they are taken from the medium by dropping the cache.
            self.direct = False
            self._fd = os.open(path, os.O_RDONLY)
        self.size = os.lseek(self._fd, 0, os.SEEK_END)
        # Direct reads want memory that is aligned, which a mapping is.
        self._buffer = mmap.mmap(-1, BLOCK)
        if not self.direct:
            self._drop_cache()

    def _drop_cache(self):
        try:
            os.fsync(self._fd)
        except OSError:
            pass
        os.posix_fadvise(self._fd, 0, 0, os.POSIX_FADV_DONTNEED)

    def read(self, offset):
        """The block at an offset; shorter at the end of the device. Raises OSError where it cannot be read."""
        wanted = min(BLOCK, self.size - offset)
        if wanted <= 0:
            raise OSError("the device ends before %d" % offset)
        got = os.preadv(self._fd, [self._buffer], offset)
        if got < wanted:
            raise OSError("read %d of %d bytes at %d" % (got, wanted, offset))
        return self._buffer[:wanted]

    def close(self):
        self._buffer.close()
        os.close(self._fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def flush(path):
    """Writes out and forgets what the kernel holds of a device, so that nobody reads what stood there before."""
    fd = os.open(path, os.O_RDONLY)
    try:
        try:
            os.fsync(fd)
            fcntl.ioctl(fd, BLKFLSBUF, 0)
        except OSError:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)


def choose_places(size, places=PLACES):
    """Offsets of blocks, in order: the first and the last MiB, and random ones that nobody can foresee."""
    blocks = (size + BLOCK - 1) // BLOCK
    edge = EDGE // BLOCK
    if blocks <= 2 * edge + places:
        return [block * BLOCK for block in range(blocks)]
    chosen = set(range(edge)) | set(range(blocks - edge, blocks))
    chosen.update(random.SystemRandom().sample(range(edge, blocks - edge), places))
    return [block * BLOCK for block in sorted(chosen)]


def sample(path, offsets):
    """A fingerprint per offset; None where the device cannot be read."""
    before = {}
    with Medium(path) as medium:
        for offset in offsets:
            try:
                before[offset] = hashlib.sha256(medium.read(offset)).digest()
            except OSError:
                before[offset] = None
    return before


def _is_left(block, before, rule):
    if block == ZERO[: len(block)]:
        return False
    if rule == "zero":
        return True
    if block == ONES[: len(block)]:
        return False
    if rule == "empty":
        return True
    # What could not be read before has nothing to differ from.
    return before is None or hashlib.sha256(block).digest() == before


def read_back(path, before, rule):
    """Reads the sampled places again and counts those that are not erased by the rule."""
    if rule not in RULES:
        raise ValueError("no such rule: %s" % rule)
    not_zero, left, unreadable = 0, [], []
    with Medium(path) as medium:
        direct, size = medium.direct, medium.size
        for offset, was in before.items():
            try:
                block = medium.read(offset)
            except (OSError, ValueError):
                unreadable.append(offset)
                continue
            if block != ZERO[: len(block)]:
                not_zero += 1
            if _is_left(block, was, rule):
                left.append(offset)
    return {
        "sampledBlocks": len(before),
        "nonZeroBlocks": not_zero,
        "leftBlocks": len(left),
        "leftAt": left[:SHOWN],
        "unreadableBlocks": len(unreadable),
        "rule": rule,
        "direct": direct,
        "readSizeBytes": size,
        "verified": len(before) > 0 and not left and not unreadable,
    }
