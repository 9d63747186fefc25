"""Compares the values that an import made with those that were published beside the logs."""

from pathlib import Path

from fwdtui.core import netbenches, steady
from fwdtui.store import benchlab_values
from fwdtui.store.benchlab_tree import Result, Tree


class PublishedBeside:
    """The published values of one tree, indexed by value and by name as it may have thousands of results."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._by_values: dict[tuple[float, ...], list[Path]] = {}
        self._by_name: dict[str, list[tuple[int, Path]]] = {}  # with its place among all
        for place, (path, published) in enumerate(tree.published.items()):
            self._by_values.setdefault(tuple(sorted(published)), []).append(path)
            self._by_name.setdefault(benchlab_values.bare(path.name), []).append((place, path))

    def notes(self, result: Result, values: list[float | None], trim: str) -> list[str]:
        """Notes from comparing with the value files and gnuplot.data that were published beside the logs.

        Under "netbenches" they must agree to the digit, and a note names what does not. Under "steady" other
        values are expected, and only values of runs without logs are noted. The result of a search does not
        depend on the trimming, so it is always compared.
        """
        own = sorted(value for value in values if value is not None)
        notes = self._searched(result, own)
        named = [*self._by_name.get(result.key, ()), *self._by_name.get(f"{result.key}.pps", ())]
        if trim != "netbenches":
            return notes + self._without_logs(result, named)
        by_value = self._by_values.get(tuple(own), [])
        if named and min(named)[1] not in by_value:
            notes.append(f"{min(named)[1].name}: published values differ from those of the logs")
        elif by_value and all(benchlab_values.key_of(path) != result.key for path in by_value):
            note = f"{result.key}: published as {by_value[0].name} (the same values under another name)"
            notes += [note] if note not in self._tree.notes else []
        row = self._tree.gnuplot.get(result.key)
        summary = steady.summary(own)
        if row and summary and (netbenches.value(own), summary.min, summary.max) != row:
            notes.append(
                f"gnuplot.data: median, minimum and maximum of {result.key} differ from the logs' values"
            )
        return notes

    def _without_logs(self, result: Result, named: list[tuple[int, Path]]) -> list[str]:
        """A note if more values were published than there are runs with logs: the others are not imported."""
        for _, path in sorted(named)[:1]:
            count, runs = len(self._tree.published[path]), len(result.runs)
            if count > runs:
                logs = f"logs of {runs} run{'s' * (runs != 1)}"
                return [f"{path.name}: {count} published values, but {logs}: the others are not imported"]
        return []

    def _searched(self, result: Result, own: list[float]) -> list[str]:
        """A note if the values in NAME.equilibrium are not those of the logs."""
        name = f"{result.key}{benchlab_values.EQUILIBRIUM}"
        for _, path in self._by_name.get(name, ()):
            published = self._tree.published[path]
            if sorted(published) == own:
                continue
            if len(published) > len(own) and sorted(published[-len(own) :]) == own:
                return [
                    f"{name}: {len(published)} values, of which the last {len(own)} are those of the logs"
                ]
            return [f"{name}: published values differ from those of the logs"]
        return []
