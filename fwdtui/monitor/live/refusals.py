"""What the DUT's input refused, where only the generator's port counts it: the other end of a veth or a tap.

The packet account of a blast has these packets as lost at the input queue (account.py). So the drops of a
tick have them there, too; else screen and sentence would show no loss at a stage that the account blames.
"""

from collections.abc import Collection
from copy import copy

import msgspec

from fwdtui.core import drop_stages
from fwdtui.core.drop_stages import DROPPED, Place
from fwdtui.core.host_rates import HostRates
from fwdtui.core.lab import Lab

_MOST = 0.5  # share of what was refused


class Refusals:
    """The newest rate at which each generator's port was refused packets."""

    def __init__(self, lab: Lab, veths: Collection[str], late: float) -> None:
        """`veths`: ports such as ``"gen.gen0"``. `late`: seconds after which a rate is out of date.

        If the DUT has several inputs, it is not known which of them refused the packets: none is said to.
        """
        ports = [(one.host, one.interface) for one in lab.generators]
        alone = len(lab.dut.inputs) == 1
        self._ports = [(host, name) for host, name in ports if alone and f"{host}.{name}" in veths]
        self._place = Place(lab.dut.inputs[0], DROPPED, "", "sender") if alone else None
        self._late = late
        self._newest: dict[tuple[str, str], tuple[float, float]] = {}

    def fork(self) -> "Refusals":
        """A copy."""
        twin = copy(self)
        twin._newest = self._newest.copy()
        return twin

    def heard(self, rates: HostRates) -> None:
        """Take the rates of a host that may have such ports."""
        for host, name in self._ports:
            if host == rates.host:
                port = None if rates.gap else rates.interfaces.get(name)
                if port is None or port.tx_dropped is None:
                    self._newest.pop((host, name), None)
                else:
                    self._newest[host, name] = rates.at, port.tx_dropped

    def added(self, rates: HostRates) -> HostRates:
        """The DUT's rates with what its input refused, if it does not count most of that itself.

        Two hosts are sampled at their own moments: of two counts of the same packets, the DUT's own is used.
        """
        known = [lost for at, lost in self._newest.values() if rates.at - at <= self._late]
        if not known or rates.gap or self._place is None:
            return rates
        refused, own = sum(known), rates.interfaces.get(self._place.interface)
        counted = (own.rx_dropped or 0.0) >= _MOST * refused if own is not None else False
        losses = {**rates.losses, self._place: 0.0 if counted else refused}
        return msgspec.structs.replace(rates, losses=losses, drops=drop_stages.stages(losses))
