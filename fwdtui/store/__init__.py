"""Sessions on disk: write crash-safely, read strictly, import what others recorded."""
