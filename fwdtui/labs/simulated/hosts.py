"""The simulated lab's hosts, as lab.toml names them."""

GENERATOR = "gen"
DUT = "dut"
