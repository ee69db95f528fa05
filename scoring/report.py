"""What scoring a file returns: numbers per split, and one compact blob of numbers per row."""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Blob: these eight bytes of header, then zlib of little-endian float64, row by row.
_HEADER = struct.Struct("<II")


@dataclass(frozen=True)
class SplitReport:
    """The numbers of one split. Metrics are fractions 0..1; the total carries the profile's scale.

    A metric is the plain mean over the rows of the split.
    """

    rows: int
    metrics: Mapping[str, float]
    total: float
    signature: str


@dataclass(frozen=True)
class Report:
    """All that scoring one file gives.

    signature: of the scoring version (no split). splits: `all`, and `public` and `private` where
    the golds are split. examples: rows x metrics, fractions 0..1, in the order of example_ids (the
    order of the reference set). blank_ids: rows whose prediction has no token and so scores 0.
    """

    signature: str
    rows: int
    splits: Mapping[str, SplitReport]
    examples: NDArray[np.float64]
    example_ids: tuple[str, ...]
    blank_ids: tuple[str, ...]

    def example_blob(self) -> bytes:
        """`examples` as bytes to keep: rows and metrics as two uint32, then zlib of float64.

        All little-endian, row by row. `read_example_blob` gives the array back.
        """
        values = np.ascontiguousarray(self.examples, dtype="<f8")
        return _HEADER.pack(*values.shape) + zlib.compress(values.tobytes())


def read_example_blob(blob: bytes) -> NDArray[np.float64]:
    """The rows x metrics array of `Report.example_blob`; ValueError if it is not one."""
    try:
        rows, metrics = _HEADER.unpack_from(blob)
        values = np.frombuffer(zlib.decompress(blob[_HEADER.size :]), dtype="<f8")
        return values.reshape(rows, metrics).astype(np.float64)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"not a blob of example scores: {error}") from None
