"""Labs that come with the program.

`kernel`: three hosts in network namespaces; `vm`: the same with the DUT (and the generator) as virtual
machines; `simulated`: a FreeBSD lab that is only a model.
"""
