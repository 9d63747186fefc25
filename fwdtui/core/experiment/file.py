"""experiment.toml: a design over factors, how each level is brought about, and the traffic.

As for lab.toml, an unknown key or a wrong value is an error that names the file, the key and what was
expected. docs/experiment-toml.md describes the file.
"""

import math
from collections.abc import Iterable, Mapping, Sequence, Set

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import tables
from fwdtui.core.experiment.cells import BUILT_IN, TRAFFIC, cells, frame_size, lengths_instead, variables
from fwdtui.core.experiment.commands import Reading
from fwdtui.core.experiment.levels import factors, sources
from fwdtui.core.experiment.model import (
    BLOCKS,
    DURING,
    FIXED,
    LOOKS,
    PRECISION,
    SEQUENTIAL,
    Abort,
    Action,
    CellProfile,
    DesignFactor,
    Experiment,
    Hook,
    LevelSetup,
    StopRule,
    Traffic,
)
from fwdtui.core.experiment.order import AA
from fwdtui.core.experiment.tables import EXPERIMENT, File
from fwdtui.core.experiment.variables import names
from fwdtui.core.factors import ORDER, FactorValue, level
from fwdtui.core.lab import Lab, Run
from fwdtui.core.roles import ATTACK
from fwdtui.core.stated_factors import stated
from fwdtui.core.text import clean

_LONGEST_NAME = 200
_TAKEN = (TRAFFIC, ORDER, AA, *BUILT_IN)  # names with a meaning of their own: no factor or variable has them
PROFILE_SECONDS = (1.0, 600.0)
"""The shortest and the longest time for which the profiler may sample."""
_MOST_FACTORS = 16
_MOST_CELLS = 1000
_MOST_TRIALS = 20_000  # a minute each: two weeks


def parse(text: str, lab: Lab, path: str = "experiment.toml") -> Experiment:
    """Reads the text of an experiment.toml for `lab`; `path` is for messages.

    Raises FwdtuiError: ``FILE: hook[0].host: expected a host of the lab (gen, dut), got 'a'``.
    """
    return _File(path, lab).experiment(tables.read(text, path))


def upload_sources(text: str, path: str = "experiment.toml") -> tuple[str, ...]:
    """The files that an experiment copies to hosts, as they are named in it. Raises FwdtuiError."""
    file = tables.read(text, path)
    return tuple(dict.fromkeys(source for factor in file.factor for source in sources(factor, path)))


def lab_name(text: str, path: str = "experiment.toml") -> str:
    """The path of lab.toml as an experiment gives it, relative to its own file. Raises FwdtuiError."""
    return str(tables.read(text, path).lab)


class _File(Reading):
    """Makes an Experiment of the tables of the file."""

    def experiment(self, file: File) -> Experiment:
        self.few("factor", file.factor, _MOST_FACTORS)
        self.few("traffic", file.traffic)
        self.few("hook", file.hook)
        listed = file.cells or ()
        self.few("cells", listed, _MOST_CELLS)
        if file.cells is not None and not listed:
            raise self.wrong("cells", "expected at least one; without `cells` all combinations are measured")
        if file.run.blocks is not None and file.run.boots is not None:
            raise self.wrong("run.boots", "expected either blocks or boots; boots are blocks with a reboot")
        blocks = file.run.blocks or file.run.boots or BLOCKS
        plain = self.lab.run
        design = factors(self, file.factor)
        named = {factor.name for factor in design}
        experiment = Experiment(
            name=self.name(file.name),
            lab=str(file.lab),
            factors=design,
            traffic=tuple(self.traffic(one, f"traffic[{n}]") for n, one in enumerate(file.traffic)),
            blocks=int(blocks),
            iterations=int(file.run.iterations),
            reboot=file.run.boots is not None,
            reboot_command=self.plain(file.run.reboot, "run.reboot"),
            reboot_time=float(file.run.reboot_time),
            order=str(file.run.order),
            seed=int(file.run.seed),
            run=Run(
                iterations=int(file.run.iterations),
                warmup=float(plain.warmup if file.run.warmup is None else file.run.warmup),
                duration=float(plain.duration if file.run.duration is None else file.run.duration),
                settle=float(plain.settle if file.run.settle is None else file.run.settle),
            ),
            margin=float(file.margin),
            hooks=tuple(self.hook(one, f"hook[{n}]", named) for n, one in enumerate(file.hook)),
            abort=Abort(int(file.abort.attempts), int(file.abort.failed), float(file.abort.boot)),
            stop=self.stop(file, blocks),
            profile=self.profile(file),
        )
        self.check_names(experiment)
        self.check_size(experiment, len(listed))
        experiment = self.with_cells(experiment, listed)
        self.check_commands(experiment)
        return experiment

    def profile(self, file: File) -> CellProfile | None:
        """How each cell's profile is taken. Raises FwdtuiError if the lab cannot do it."""
        profile = file.profile
        if profile is None:
            return None
        if self.lab.dut.count:
            raise self.wrong(
                "profile", "the lab counts events ([dut] count): a profiler would share the counters"
            )
        if not PROFILE_SECONDS[0] <= profile.seconds <= PROFILE_SECONDS[1]:
            raise self.wrong(
                "profile.seconds", f"expected {PROFILE_SECONDS[0]:g} to {PROFILE_SECONDS[1]:g} seconds"
            )
        return CellProfile(None if profile.rate is None else float(profile.rate), float(profile.seconds))

    def hook(self, hook: tables.Hook, where: str, factors: Set[str]) -> Hook:
        """A hook; it has no variables, so one that seems to use them is an error."""
        whole = hook.around == EXPERIMENT
        if whole and hook.when == DURING:
            raise self.wrong(f"{where}.when", 'expected "before" or "after" of a hook around the experiment')
        if used := sorted(names(hook.run) & ({TRAFFIC, *BUILT_IN} | factors)):
            raise self.wrong(f"{where}.run", f"a hook has no variables, and {{{used[0]}}} looks like one")
        run = self.plain(hook.run, f"{where}.run")
        return Hook(
            str(hook.when), Action(self.host(hook.host, f"{where}.host"), run, float(hook.timeout)), whole
        )

    def name(self, written: str) -> str:
        """The experiment's name in one line."""
        name = clean(written).strip()
        if not name or len(name) > _LONGEST_NAME:
            raise self.wrong("name", f"expected 1 to {_LONGEST_NAME} characters, got {written[:40]!r}")
        return name

    # traffic

    def traffic(self, table: tables.Traffic, where: str) -> Traffic:
        """A traffic profile. Its commands keep their variables, whose values differ from cell to cell."""
        commands = (table.generator,) if isinstance(table.generator, str) else table.generator
        wanted = len(self.lab.generators)
        if len(commands) != wanted:
            one = "one command" if wanted == 1 else f"{wanted} commands, one for each generator of the lab"
            raise self.wrong(f"{where}.generator", f"expected {one}, got {len(commands)}")
        if table.receiver is not None and self.lab.receiver is None:
            raise self.wrong(f"{where}.receiver", "the lab has no receiver that it could start")
        variables = stated(table.variables, f"{self.path}: {where}.variables.")
        for name in variables:
            if name in _TAKEN:
                raise self.wrong(f"{where}.variables.{name}", "this name is reserved")
        [profile] = stated({TRAFFIC: str(table.name)}, f"{self.path}: {where}.name: ").values()
        return Traffic(
            str(profile),
            tuple(str(command) for command in commands),
            None if table.receiver is None else str(table.receiver),
            variables,
            None if table.frame is None else int(table.frame),
        )

    # the whole

    def stop(self, file: File, blocks: int) -> StopRule:
        """[stop]: a key that belongs to another rule would be ignored, so it is an error."""
        rule, precision, looks = file.stop.rule, file.stop.precision, file.stop.looks
        for key, value in ((PRECISION, precision), (LOOKS, looks)):
            if (value is not None) != (rule == key):
                expected = "missing" if value is None else f'expected only with rule = "{key}"'
                raise self.wrong(f"stop.{key}", expected)
        if rule != FIXED and file.run.order == SEQUENTIAL:
            raise self.wrong("stop.rule", 'expected "fixed", since in sequential order no block ends early')
        if looks is not None and (
            not looks or looks[0] < 2 or looks[-1] >= blocks or sorted(set(looks)) != list(looks)
        ):
            raise self.wrong(
                "stop.looks",
                f"expected growing numbers of blocks from 2 to {blocks - 1}, got {list(looks[:20])}",
            )
        return StopRule(str(rule), None if precision is None else float(precision), looks or ())

    def check_names(self, experiment: Experiment) -> None:
        """Raises FwdtuiError if two things have one name."""
        for number, factor in enumerate(experiment.factors):
            if factor.name in _TAKEN:
                raise self.wrong(f"factor[{number}].name", f"{factor.name} is a reserved name")
        factors = {factor.name for factor in experiment.factors}
        seen: set[str] = set()
        for number, profile in enumerate(experiment.traffic):
            if profile.name in seen:
                raise self.wrong(f"traffic[{number}].name", f"{profile.name!r} is given twice")
            seen.add(profile.name)
            if both := sorted(factors & set(profile.variables)):
                raise self.wrong(f"traffic[{number}].variables.{both[0]}", "it is a factor already")

    def check_size(self, experiment: Experiment, listed: int) -> None:
        """Raises FwdtuiError if the design is too large to be measured."""
        sizes = [len(factor.levels) for factor in experiment.factors] + [max(len(experiment.traffic), 1)]
        count = listed or math.prod(sizes)
        if count > _MOST_CELLS:
            raise self.wrong(
                "factor", f"the full design has {count} cells, expected at most {_MOST_CELLS}; list `cells`"
            )
        if (trials := count * experiment.blocks * experiment.iterations) > _MOST_TRIALS:
            raise self.wrong("run", f"{trials} iterations in all, expected at most {_MOST_TRIALS}")

    def with_cells(self, experiment: Experiment, listed: Sequence[Mapping[str, FactorValue]]) -> Experiment:
        """The experiment with the listed cells, with names and values as the factors have them."""
        values: dict[str, list[FactorValue]] = {
            factor.name: [one.value for one in factor.levels] for factor in experiment.factors
        }
        if len(experiment.traffic) > 1:
            values[TRAFFIC] = [profile.name for profile in experiment.traffic]
        known = {name: {level(name, one).identity: one for one in all_} for name, all_ in values.items()}
        made: list[dict[str, FactorValue]] = []
        seen: dict[tuple[FactorValue, ...], int] = {}
        for number, cell in enumerate(listed):
            where = f"cells[{number}]"
            row = {name: all_[0] for name, all_ in values.items()}
            for name, value in stated(cell, f"{self.path}: {where}.").items():
                if name not in values:
                    raise self.wrong(f"{where}.{name}", f"no factor; expected one of {', '.join(values)}")
                identity = level(name, value).identity
                if identity not in known[name]:
                    some = ", ".join(map(str, values[name][:20]))
                    raise self.wrong(f"{where}.{name}", f"expected one of its levels ({some}), got {value!r}")
                row[name] = known[name][identity]
            if (key := tuple(row.values())) in seen:
                raise self.wrong(where, f"the same cell as cells[{seen[key]}]")
            seen[key] = number
            made.append(row)
        return msgspec.structs.replace(experiment, cells=tuple(made))

    def check_commands(self, experiment: Experiment) -> None:
        """Raises FwdtuiError if a traffic command has a variable that one of its cells does not know.

        Also if a level would change nothing, or if nothing says how to start a generator.
        """
        if not experiment.traffic:
            wanted = [one for one in self.lab.generators if one.role != ATTACK]
            if not any(one.start for one in wanted):
                on = f"lab.toml starts none on {wanted[0].host}" if wanted else "lab.toml has no generator"
                raise self.wrong("traffic", f"missing; expected a generator command, since {on}")
        used = self.used(experiment)
        for number, factor in enumerate(experiment.factors):
            # a reboot makes no difference: if one level of a factor reboots, all do
            idle = [one for one in factor.levels if not (one.uploads or one.apply)]
            if len(factor.levels) > 1 and len(idle) > 1 and factor.name not in used:
                raise self.wrong(
                    f"factor[{number}]",
                    f"{idle[0].value!r} and {idle[1].value!r} do not differ: neither has a command,"
                    f" and no traffic command uses {{{factor.name}}}",
                )
            if factor.name not in used:
                self.check_levels(factor, f"factor[{number}]")
        try:
            made = cells(experiment)
        except FwdtuiError as error:
            raise FwdtuiError(f"{self.path}: {error}") from None
        for cell in made if not experiment.traffic else ():
            if others := lengths_instead(self.lab, cell):
                raise self.wrong(
                    "traffic",
                    f"missing; lab.toml's command sends frames of {others} bytes, which are not the"
                    f" frame_size of the cell {cell.name}: expected a generator command with {{frame_size}}",
                )
        profiles = [profile.name for profile in experiment.traffic]
        sent: dict[object, Traffic] = {}  # what is started with which levels -> the traffic
        for cell in made if profiles else ():
            number = profiles.index(cell.traffic)
            profile, values = experiment.traffic[number], variables(experiment, cell)
            started: list[str] = []
            for place, command in enumerate(profile.generators):
                key = f"traffic[{number}].generator" + (f"[{place}]" if len(profile.generators) > 1 else "")
                started.append(self.fill(command, values, key))
            if profile.receiver is not None:
                started.append(self.fill(profile.receiver, values, f"traffic[{number}].receiver"))
            same = sent.setdefault((*cell.levels.values(), *started), profile)
            if same is not profile:
                raise self.wrong(
                    f"traffic[{number}]",
                    f"{same.name!r} and {profile.name!r} do not differ: their commands are the same",
                )
            size = frame_size(cell)
            if profile.frame is not None and size is not None and profile.frame != size:
                raise self.wrong(
                    f"traffic[{number}].frame",
                    f"{profile.frame} bytes are not the frame_size of the cell {cell.name}, {size} B",
                )

    def check_levels(self, factor: DesignFactor, where: str) -> None:
        """Raises FwdtuiError if two levels have the same commands, as if a {variable} was forgotten."""
        seen: dict[object, LevelSetup] = {}
        for one in factor.levels:
            if not (one.uploads or one.apply):
                continue
            same = seen.setdefault((one.uploads, one.apply, one.verify), one)
            if same is not one:
                raise self.wrong(
                    where,
                    f"{same.value!r} and {one.value!r} do not differ: their commands are the same,"
                    f" and no traffic command uses {{{factor.name}}}",
                )

    def used(self, experiment: Experiment) -> frozenset[str]:
        """The variables that occur in any of the traffic commands."""
        commands: Iterable[str] = (
            command
            for profile in experiment.traffic
            for command in (*profile.generators, profile.receiver or "")
        )
        return frozenset(name for command in commands for name in names(command))
