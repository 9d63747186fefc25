"""Draw every screen that tests/ui/test_gallery.py keeps, at three sizes in three themes, to be looked at.

    python scripts/pictures.py FOLDER [WORD...]

Each file is called SCENE.WIDTHxHEIGHT.THEME.svg. With words, only scenes with one of them in their name are
drawn: live, compare, replay ...
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run the gallery, which knows how to reach each screen, with the pictures switched on."""
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-n", "2", "tests/ui/test_gallery.py", "-k", "looked_at"]
    wanted = {"FWDTUI_PICTURES": str(folder), "FWDTUI_SCENES": " ".join(sys.argv[2:])}
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **wanted}).returncode


if __name__ == "__main__":
    sys.exit(main())
