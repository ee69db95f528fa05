"""`./run bench`: how fast scoring is against its peers, then the way from a POST to a rank."""

import sys

from benchmarks import bench, latency


def main() -> int:
    """Both benches with their goals; 1 if one is missed. Options go to the first."""
    missed = bench.main()
    print()
    return latency.main() or missed


if __name__ == "__main__":
    sys.exit(main())
