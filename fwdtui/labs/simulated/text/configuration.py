"""Configuration of a simulated host: rc.conf(5), loader.conf(5), sysctl.conf(5), `kenv`, `config -x`.

They agree with what the other commands show: a scenario that differs in its configuration differs here too.
"""

from fwdtui.labs.simulated.hosts import DUT
from fwdtui.labs.simulated.view import View


def rc_conf(view: View) -> str:
    """/etc/rc.conf."""
    lines = [f'hostname="{view.name}"', 'sshd_enable="YES"']
    lines += [
        f'ifconfig_{port.name}="inet {port.address}/24"' for port in view.ports if port.name.startswith("i")
    ]
    if view.name == DUT:
        lines += ['gateway_enable="YES"', 'ipv6_gateway_enable="YES"']
    return "".join(f"{line}\n" for line in lines)


def loader_conf(view: View) -> str:
    """/boot/loader.conf. kenv prints the same."""
    threads = len(view.netisr) if view.name == DUT else 1
    return (
        f'net.isr.dispatch="{view.setup.dispatch}"\nnet.isr.maxthreads="{threads}"\nnet.isr.bindthreads="1"\n'
    )


def sysctl_conf(view: View) -> str:
    """/etc/sysctl.conf."""
    return "# no ICMP redirects, so that packets take the fast path\nnet.inet.ip.redirect=0\n"


def kernel(view: View) -> str:
    """`config -x`: what the kernel was built with."""
    return "ident\tSIMULATED\nmachine\tamd64\ncpu\tHAMMER\noptions\tINET\noptions\tINET6\ndevice\tnetmap\n"
