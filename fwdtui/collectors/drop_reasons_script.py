"""The script that counts a host's drop reasons in its kernel, without printing a line for each packet.

For FreeBSD see drop_reasons_dtrace.py. On Linux there are two means of counting the tracepoint skb:kfree_skb;
nothing is installed for either:
- a histogram trigger (CONFIG_HIST_TRIGGERS, in Debian's kernels), in a tracing instance of our own. It does
  not know interfaces, so it is used only on a host that has a single network namespace;
- bpftrace, which also reports each packet's interface and network namespace, with the help of the kernel's
  BTF.

perf is not used: `perf stat` would count by reason only with one filter for each reason, and every dropped
packet would pass all of them in turn; it cannot count by function. `perf record` and `perf trace` write a
record for each packet.

Nothing is left behind. The trap removes the instance when the shell is told to end, as it is when the
connection ends (transport/remote_shell.py); BPF programs end with their process. Only a shell that is ended
by SIGKILL leaves its instance, which goes on counting until the next start of the script removes it, or until
a reboot. An instance's name contains its shell's process ID and start time, so that only one whose shell is
gone is removed.

If tracefs is not mounted, it is mounted in a mount namespace of this script alone (unshare -m): no other
process sees the mount, and it goes with the script.
"""

import shlex

from fwdtui.collectors.drop_reasons_dtrace import FREEBSD_COUNTS, FREEBSD_TELLS

PREFIX = "fwdtui-"
"""How the names of our tracing instances begin."""
TRIGGER = "hist:keys=reason,location.sym"

_FIRST = """\
[ "$(uname -s)" = Linux ] || {{
  mark 'B 0 H'; mark no; echo 'only Linux and FreeBSD report drop reasons'; mark 'E 0'; exit 3
}}
private='unshare -m'
while read -r a b c d; do [ "$c" = tracefs ] && private=; done </proc/self/mounts
export private
exec $private /bin/sh -c {body}
"""
_MARK = """\
mark() { printf '\\n@%s %s\\n' @TOKEN@ "$1"; }
"""
_CHOOSE = """\
no() { mark 'B 0 H'; mark no; printf '%s\\n' "$*"; mark 'E 0'; exit 3; }
began() { read -r l <"/proc/$1/stat" && set -- ${l##*\\)} && echo "${20}"; } 2>/dev/null
remove() { echo '!@TRIGGER@' >"$1/events/skb/kfree_skb/trigger"; rmdir "$1"; } 2>/dev/null
number() { n=$(readlink "/proc/self/ns/$1"); n=${n#*[}; echo "${n%]}"; }
find() { while read -r a b c d; do [ "$c" = tracefs ] && t=$b; done </proc/self/mounts; [ -n "$t" ]; }
t=
find || {
  [ -n "$private" ] || no 'tracefs has just been unmounted'
  mount --make-rprivate / 2>/dev/null
  why=$(mount -t tracefs none /sys/kernel/tracing 2>&1) && find ||
    no "tracefs is not mounted, and cannot be mounted for this alone ($why);" \\
      'as root: mount -t tracefs tracefs /sys/kernel/tracing'
}
event=$t/events/skb/kfree_skb
[ -r "$event/format" ] || no "$event/format cannot be read: log in as root"
grep -q ' reason;' "$event/format" || no 'this kernel reports no drop reasons: Linux 5.17 and later do'
# 4026531836 (PROC_PID_INIT_INO): elsewhere /proc does not show the processes of every network namespace
scope=machine
spaces=$({ ls -l /proc/[0-9]*/ns/net; cat /proc/self/mountinfo; } 2>/dev/null |
  grep -o 'net:\\[[0-9]*\\]' | sort -u | wc -l)
[ "$(number pid)" = 4026531836 ] && [ $((spaces)) = 1 ] && scope=host
btf=/sys/kernel/btf/vmlinux
@MEANS@
removed=0
hello() {
  mark 'B 0 H'; mark host; echo "$means $scope $(number net) $removed"
  mark format; cat "$event/format"; mark 'E 0'
}
"""
MEANS = """\
if [ -e "$event/hist" ] && [ $scope = host ]; then means=tracefs
elif command -v bpftrace >/dev/null && [ -r "$btf" ]; then means=bpftrace scope=namespace
elif [ -e "$event/hist" ]; then means=tracefs
else
  no 'the kernel has no histogram triggers (CONFIG_HIST_TRIGGERS),' \\
    'and bpftrace or the kernel option it needs (CONFIG_DEBUG_INFO_BTF) is missing'
fi"""
"""Shell code that chooses the means of counting. Without BTF, bpftrace does not know `struct sk_buff`."""
_CLEAN = """\
space=$(number pid)
for d in "$t/instances/@PREFIX@$space"-*; do
  [ -d "$d" ] || continue
  p=${d##*/@PREFIX@$space-}
  [ "$(began "${p%%-*}")" = "${p#*-}" ] || { remove "$d" && removed=$((removed + 1)); }
done
"""
_COUNT = """\
if [ $means = bpftrace ]; then
  hello
  ulimit -l unlimited 2>/dev/null
  exec bpftrace -q -B line -e @PROGRAM@
fi
i=$t/instances/@PREFIX@$space-$$-$(began $$)
why=$(mkdir "$i" 2>&1) || no "no tracing instance can be made: $why"
tidy() { trap - 0; remove "$i"; exit 0; }
trap tidy 0 TERM HUP PIPE
trap over=1 INT
# a histogram needs nothing of the buffers that an instance has for each processor
echo 4 >"$i/buffer_size_kb" 2>/dev/null
(echo '@TRIGGER@' >"$i/events/skb/kfree_skb/trigger") 2>/dev/null || no 'the kernel refused the trigger'
hello
n=0 over=
while :; do
  last=$over n=$((n + 1))
  mark "B $n P"; mark counts; cat "$i/events/skb/kfree_skb/hist" || exit; mark "E $n"
  [ -z "$last" ] || exit
  [ -n "$over" ] || sleep 0.5 || [ -n "$over" ] || sleep 1
done
"""
# Once a second: while a map is read, the processor that reads it counts nothing
# (bpf_disable_instrumentation()).
# `@all` is printed first: a packet that is dropped between the two is then in a row, and never looks as if
# the map had had no room for it.
# The reason is cast, since bpftrace from 0.22 on prints a key that is an enum by its name
_PRINT = (
    '@frames++; printf("\\n@@TOKEN@ B %d P\\n@@TOKEN@ counts\\n", @frames); print(@all); print(@); '
    'printf("\\n@@TOKEN@ E %d\\n", @frames);'
)
PROGRAM = f"""
tracepoint:skb:kfree_skb {{
  $skb = (struct sk_buff *)args->skbaddr;
  @[(uint64)args->reason, ksym(args->location), $skb->dev->name, $skb->dev->nd_net.net->ns.inum] = count();
  @all = count();
}}
interval:ms:100 /@frames == 0/ {{ {_PRINT} }}
interval:s:1 {{ {_PRINT} }}
END {{ {_PRINT} clear(@); clear(@all); clear(@frames); }}
"""


def script(token: str) -> str:
    """A /bin/sh script that prints frames (collectors/frames.py) marked by `token`.

    The first frame, of kind H, has either the section ``no`` (why nothing is counted), or the sections
    ``host`` (means, scope, the network namespace, how many instances of killed shells were removed) and
    ``format`` (the tracepoint's format, or dtrace's list of probes). Frames of kind P follow, one or two a
    second, with the totals in the section ``counts``. On SIGINT the script prints one last frame and ends; on
    SIGTERM it ends at once.
    """
    return _whole(FREEBSD_COUNTS, _CLEAN + _COUNT.replace("@PROGRAM@", shlex.quote(PROGRAM)), token)


def probe(token: str) -> str:
    """A script that prints only the first frame of `script`, and neither counts nor changes anything."""
    return _whole(FREEBSD_TELLS, "hello\n", token)


def _whole(freebsd: str, then: str, token: str) -> str:
    body = _MARK + _CHOOSE.replace("@MEANS@", MEANS) + then
    whole = _MARK + freebsd + _FIRST.format(body=shlex.quote(body))
    for name, text in (("@TOKEN@", token), ("@PREFIX@", PREFIX), ("@TRIGGER@", TRIGGER)):
        whole = whole.replace(name, text)
    return whole
