"""The FreeBSD part of the script that counts drop reasons: dtrace adds up the mib probes in the kernel.

Nothing is installed, loaded or left behind. libdtrace loads DTrace's modules if they are missing
(dt_open.c), so dtrace is not even asked for its list of probes until kldstat shows that the modules are
loaded. The enabled probes go with the dtrace process, however that ends: the kernel keeps them only for as
long as its device is open.

`aggrate` and `switchrate` are set because by default totals are up to two seconds old when they are printed
(dtrace(1)).
"""

import shlex

from fwdtui.core.mib_drops import MIB_DROPS

_CHOOSE = """\
if [ "$(uname -s)" = FreeBSD ]; then
  no() { mark 'B 0 H'; mark no; printf '%s\\n' "$*"; mark 'E 0'; exit 3; }
  command -v dtrace >/dev/null || no 'dtrace is missing: it is part of the base system, check PATH'
  for m in dtrace sdt; do
    kldstat -q -m $m || no "DTrace is not loaded (module $m); as root: kldload dtraceall"
  done
  listed=$(dtrace -l -P mib 2>&1) || case $listed in
  *privilege* | *ermission*) no 'only root may use dtrace: log in as root' ;;
  *match*) no 'this kernel has no mib probes: it needs options KDTRACE_MIB_SDT (dtrace_mib(4))' ;;
  *) no "dtrace does not work: $listed" ;;
  esac
  scope=host
  [ -z "$(jls jid 2>/dev/null)" ] || scope=machine
  mark 'B 0 H'; mark host; echo "dtrace $scope 0 0"
  mark format; printf '%s\\n' "$listed"; mark 'E 0'
"""
_PRINT = (
    'frames++; printf("\\n@@TOKEN@ B %d P\\n@@TOKEN@ counts\\n", frames); '
    'printa("drop %s %@d%k\\n", @drops); printa("all %@d\\n", @all); '
    'printf("\\n@@TOKEN@ E %d\\n", frames);'
)
_PROBES = ",\n".join(f"mib:{drop.module}:count:{name}" for name, drop in MIB_DROPS.items())
PROGRAM = f"""
{_PROBES} {{
  @drops[probename, stack(1)] = sum(arg0);
  @all = sum(arg0);
}}
BEGIN {{ frames = 0; }}
tick-100ms /frames == 0/ {{ {_PRINT} }}
tick-1s {{ {_PRINT} }}
END {{ {_PRINT} }}
"""
"""Probes that a release does not have are left out (-Z)."""

FREEBSD_COUNTS = (
    _CHOOSE + f"  exec dtrace -q -Z -x aggrate=10hz -x switchrate=10hz -n {shlex.quote(PROGRAM)}\nfi\n"
)
FREEBSD_TELLS = _CHOOSE + "  exit 0\nfi\n"
