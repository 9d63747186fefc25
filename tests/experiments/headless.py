"""`fwdtui ARGUMENT...` for a lab that a test made: headless.py FOLDER ARGUMENT..."""

import sys
from pathlib import Path

from fwdtui.cli import main
from fwdtui.transport import trusted

if __name__ == "__main__":
    folder, *arguments = sys.argv[1:]
    trusted.made(Path(folder))
    sys.exit(main(arguments))
