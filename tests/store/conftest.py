"""A small bench-lab tree."""

from pathlib import Path

import pytest
from bench_logs import HEADER, line


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "lab.2026"
    folder.mkdir()
    (folder / "bench.n1.D2.off.v4.info").write_text(
        'IMAGE="n1.D2"\nCFG="off"\nPKTGEN="v4"\nUNAME="FreeBSD x 16"'
    )
    for index in (1, 2):
        begun = HEADER.replace("1.0 main", f"{index}.0 main")  # no log is another run's
        log = begun + "".join(line(s, 1_000_000 + s % 3) for s in range(10, 50)) + "Terminated\n"
        (folder / f"bench.n1.D2.off.v4.{index}.receiver").write_text(log)
    return folder
