"""An example of a plug-in for fwdtui. docs/plugins.md explains it part by part."""
