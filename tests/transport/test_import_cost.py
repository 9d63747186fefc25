"""Commands that reach no host do not pay for asyncssh."""

import subprocess
import sys


def test_transport_is_imported_without_asyncssh_and_textual() -> None:
    code = (
        "import sys\n"
        "from fwdtui.transport import base, destination, errors, known_hosts, link, settings, ssh\n"
        "print(sorted({'asyncssh', 'cryptography', 'textual', 'platformdirs'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
