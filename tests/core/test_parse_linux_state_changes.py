"""What changed on a Linux host between two slow ticks, in words."""

import pytest

from fwdtui.core.parse.state_changes import parse


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("online:0-3:0-2\n", "the CPUs online were 0-3 and are 0-2"),
        ("intel_pstate/no_turbo:1:0\n", "turbo was switched on"),
        ("intel_pstate/no_turbo:0:1\n", "turbo was switched off"),
        ("cpufreq/boost:0:1\n", "turbo was switched on"),
        (
            "".join(f"cpufreq/policy{n}/scaling_governor:performance:powersave\n" for n in (0, 1, 2, 5)),
            "the governor of CPUs 0-2,5 changed from performance to powersave",
        ),
        (
            "cpufreq/policy0/scaling_max_freq:3600000:2400000\n",
            "the highest frequency of CPU 0 changed from 3600 to 2400 MHz",
        ),
        (
            "cpu1/thermal_throttle/core_throttle_count:3:5\ncpu2/thermal_throttle/core_throttle_count:0:4\n",
            "CPUs 1-2 were throttled 4 times",
        ),
        ("cpu0/thermal_throttle/package_throttle_count:0:1\n", "the package of CPU 0 was throttled 1 time"),
    ],
)
def test_a_change_is_one_sentence(text: str, told: str) -> None:
    assert parse(text).value == (told,)


def test_a_count_that_was_reset_is_no_throttling() -> None:
    assert parse("cpu0/thermal_throttle/core_throttle_count:9:0\n").value == ()


def test_what_is_odd_is_named_and_not_told() -> None:
    found = parse("online\nonline:0-3:0-3\nsomething:1:2\n\ncpu0/thermal_throttle/core_throttle_count:x:y\n")
    assert found.value == ()
    assert found.skipped == (
        "line 1: no change",
        "line 2: no change",
        "line 3: an unknown file",
        "line 5: an unknown file",
    )
