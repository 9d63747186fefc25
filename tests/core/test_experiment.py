"""The data of an experiment."""

import subprocess

from fwdtui.core.experiment import Restore


def test_a_restored_value_is_one_word_for_the_shell_whatever_a_host_printed():
    restore = Restore("dut", "sysctl -n net.ipv4.tcp_rmem", "echo tcp_rmem={value}")
    assert restore.command("  64\n") == "echo tcp_rmem=64"
    for printed in ("4096\t131072", "$(touch ran)", "'; reboot; '", "a\nb", ""):
        done = subprocess.run(["/bin/sh", "-c", restore.command(printed)], capture_output=True, text=True)
        assert done.stdout == f"tcp_rmem={printed}\n"
