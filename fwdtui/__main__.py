"""`python -m fwdtui`."""

import sys

from fwdtui.cli import main

sys.exit(main())
