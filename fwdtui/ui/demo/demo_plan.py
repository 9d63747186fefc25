"""The plan of the demo: two sessions, what to look at in each, and other scenarios."""

from collections.abc import Sequence

import msgspec

from fwdtui.ui.common.own_keys import key, with_keys

CASE = "forwarding.inet4"
WANTED = 3
"""How many iterations each session of the walk has: the fewest that a comparison accepts."""


class Part(msgspec.Struct, frozen=True):
    """One session. `setting`: what the lab is switched to; `blast`: how many seconds the traffic lasts."""

    session: str
    setting: str
    title: str
    begin: str  # the guide's text before it begins; see `first_words`
    look: str  # the guide's text while traffic runs
    blast: float = 7.0

    @property
    def first_words(self) -> str:
        """`begin` with the user's keys."""
        return with_keys(self.begin)


class Plan(msgspec.Struct, frozen=True):
    """The plan of a walk. `banner` says what kind of lab this is; it is always on the screen.

    `question`: what the comparison of its sessions answers.
    """

    banner: str
    parts: tuple[Part, ...]
    question: str

    @property
    def steps(self) -> int:
        """How many steps the walk has: two for each session, and the comparison."""
        return 2 * len(self.parts) + 1

    def before(self, number: int, kept: int, wanted: int = WANTED) -> str:
        """What the guide says of session `number` before the next one. `kept`: its new iterations."""
        if kept >= wanted:
            return f"Session {number} is recorded. "
        if kept:
            return f"Session {number} has {kept} of {wanted} iterations. "
        return f"Session {number} was skipped. "

    def end(self, recorded: Sequence[str], into: str) -> str:
        """The guide's last text. `recorded`: the sessions that have iterations; `into`: their folder."""
        if not recorded:
            return "Neither session has an iteration, so there is nothing to compare."
        if len(recorded) < len(self.parts):
            return (
                f"Only one of the two sessions has iterations: {recorded[0]}, in {into}. A comparison needs "
                "both."
            )
        compares = f"{key('demo.compare', 'c')} compares them."
        return f"Two sessions are recorded. {self.question} {compares} They are in {into}."


def simulated(blast: float = 7.0) -> Plan:
    """The walk through the simulated lab: a DUT that uses one transmit queue, and the same one fixed."""
    return Plan(
        "Simulated lab – nothing here is a real measurement",
        (
            Part(
                "1-one-tx-queue",
                "tx-one-queue",
                "One transmit queue takes all",
                "Session 1: a router that forwards far less than it could. "
                "Press <live.generator g> to start the generator.",
                "The limit is shown below the rates; of ix1's tx queues, only q0 works.",
                blast,
            ),
            Part(
                "2-flow-id-kept",
                "tx-one-queue-fixed",
                "The flow id kept",
                "Session 2 is the same router with the fix: <demo.go Enter> switches to it.",
                "All four tx queues of ix1 work now, and the router itself is the limit.",
                blast,
            ),
        ),
        "Did the fix change forwarding?",
    )


def kernel(blast: float = 8.0) -> Plan:
    """The walk through the kernel lab: without rules in the DUT, and with a hundred of them."""
    return Plan(
        "Kernel lab – real forwarding; its hosts share the same CPUs",
        (
            Part(
                "1-no-rules",
                "0",
                "No rules",
                "Session 1: this kernel forwards between namespaces. "
                "Press <live.generator g> to start the generator.",
                "Offered, forwarded and received come from the kernel's counters; drops name their stage.",
                blast,
            ),
            Part(
                "2-hundred-rules",
                "100",
                "A hundred nftables rules",
                "Session 2 adds 100 nftables rules: <demo.go Enter> installs them.",
                "Every packet is checked against 100 rules; none matches. Does it show?",
                blast,
            ),
        ),
        "What did the rules cost?",
    )


def free(name: str, title: str, see: Sequence[str], seconds: float) -> Part:
    """A scenario outside the walk, in a session of the same name."""
    text = " ".join(see)
    return Part(name, name, title, f"{title}. <live.generator g> starts the generator.", text, seconds)
