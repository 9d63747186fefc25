"""A load that the DUT of the kernel lab forwards whole says nothing of what it could do.

No rate is judged here, so other tests may run meanwhile.
"""

import json

import pytest
from kernel_lab_use import fwdtui

pytestmark = pytest.mark.root


def test_an_offered_load_that_the_dut_forwards_whole_is_called_capped_and_not_equal(lab, tmp_path):
    path = lab.quick_file("--rate", "20k", iterations="3", duration='"1s"')
    for session in ("one", "two"):
        fwdtui("run", str(path), "--headless", "--into", str(tmp_path), "--session", session, "--case", "v4")
    done = fwdtui("compare", str(tmp_path / "one"), str(tmp_path / "two"), "--format", "json")
    (comparison,) = json.loads(done.out)["comparisons"]
    assert comparison["verdict"] == "capped", done.out
