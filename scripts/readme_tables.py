"""Regenerate the comparison tables of README.md from the published results beside the checkout.

    python scripts/readme_tables.py [--check]

Each table is between ``<!-- table NAME -->`` and ``<!-- end -->``; NAME is a result folder.
"""

import io
import re
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from fwdtui.cli import main
from fwdtui.store.benchlab import import_tree

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT.parent / "shared" / "netbenches"
BELOW = re.compile(r"\n\n(?:[!-] |\d+ facts? of the lab)")
TABLE = re.compile(r"(<!-- table (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def table(name: str) -> str:
    """The table that `fwdtui compare` prints for one published tree, trimmed as it was published."""
    (tree,) = RESULTS.rglob(name)
    with tempfile.TemporaryDirectory() as folder:
        base, other = import_tree(tree, Path(folder), "netbenches")
        shown = io.StringIO()
        with redirect_stdout(shown), redirect_stderr(io.StringIO()):
            main(["compare", str(base.path), str(other.path)])
    # the paragraphs below it are left out: the mark, warnings, and the facts of the lab that differ
    body = BELOW.split(shown.getvalue())[0].rstrip()
    return f"```\n$ fwdtui compare {base.path.name} {other.path.name}\n{body}\n```\n"


def regenerated(text: str) -> str:
    """The text of the README with every table regenerated."""
    return TABLE.sub(lambda match: match[1] + table(match[2]) + match[4], text)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    before = readme.read_text()
    after = regenerated(before)
    if "--check" in sys.argv:
        sys.exit(before != after)
    readme.write_text(after)
