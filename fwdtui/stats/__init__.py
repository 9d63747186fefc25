"""What two sets of iterations say about each other: ministat, intervals, verdicts, power."""
