"""Lab hygiene: what makes forwarding results lie on a host, found in the settings that were read from it.

Pure: settings in, findings out. Start at `rules.findings`; the rules are in linux_cpu, linux_nic and freebsd,
and docs/hygiene.md lists them.
"""
