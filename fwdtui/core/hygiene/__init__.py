"""Lab hygiene: what on a host makes forwarding results lie, found in the settings that were read of it.

Pure: settings in, findings out. `rules.findings` is the way in; the rules are in linux_cpu, linux_nic and
freebsd, and docs/hygiene.md is their table.
"""
