"""The kernel lab: generator, DUT and sink as network namespaces of one Linux machine, each with a real sshd.

`place.find` says which lab is meant; `up.bring_up`, `down.take_down`, `status.inspect`, `use.lab_file` and
`use.set_rules` act on it. docs/kernel-lab.md says what the lab can show and what it cannot.
"""
