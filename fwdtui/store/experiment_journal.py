"""experiment.jsonl: every step of an experiment, written before it is taken and again when it is over.

Lines are those of samples.jsonl: ``{"crc":"<8 hex>","d":<payload>}``, the first payload a header with the
schema. Each line is on disk before `Journal.write` returns, so what a step changes on a host is known even
if this machine loses power in the middle of it. A torn last line is a step that was not taken: it is cut off
when the journal is continued. A damaged line in the middle is an error, since it is not known what it said.

Beside it are experiment.toml as it was read and plan.json, the plan that the steps refer to.
"""

import contextlib
import datetime
import errno
import os
import re
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.mistakes import mistake
from fwdtui.core.model import SCHEMA
from fwdtui.store import opening, plain
from fwdtui.store.atomic import naming, sync_folder, write_all, write_new
from fwdtui.store.names import EXPERIMENT_FILES
from fwdtui.store.schema import refuse_newer

JOURNAL, TEXT, PLAN = EXPERIMENT_FILES
MOST = 64 * opening.MIB
"""Largest journal that is read, in bytes: some hundred thousand steps."""
_WORDY = MOST // 2
"""Size from which on texts that are only for people should be short, in bytes."""
_LAST = opening.MIB
"""What is reserved of it for the steps that undo and end an experiment, in bytes."""
LEFT_OUT = f"(left out: this journal is larger than {_WORDY // opening.MIB} MiB)"
"""What a step says instead of a text that a long journal does not keep."""
PLAN_MOST = 16 * opening.MIB
_LINE = re.compile(rb'\{"crc":"([0-9a-f]{8})","d":(.*)\}', re.DOTALL)

BEGUN, RESUMED, ENDED = "begun", "resumed", "ended"
LEVEL, UNDO = "level", "undo"
REBOOT, FORWARDS = "reboot", "forwards"
HOOK, TOOLS, STOPPED = "hook", "tools", "stopped"
SAVED, JUDGED, LOOK = "saved", "judged", "look"
PROFILE = "profile"
BROKEN_OFF = "told to stop"
"""Why a step failed that was broken off because the experiment was told to end."""
KINDS = (
    *(BEGUN, RESUMED, ENDED, LEVEL, UNDO, REBOOT, FORWARDS),
    *(HOOK, TOOLS, STOPPED, SAVED, JUDGED, LOOK, PROFILE),
)


class Step(msgspec.Struct, frozen=True, omit_defaults=True, tag="step", tag_field="kind"):
    """One step. A field that does not apply to it has its default, and is not in the file.

    `what` is one of KINDS:

    - "begun", "resumed", "ended": the experiment
    - "level": a level of a factor is brought about; "undo": it is undone
    - "reboot": of the DUT; `boot` is its old identity before the step is taken, and its new one after
    - "forwards": the check after a boot that the DUT forwards
    - "hook": one of the experiment's own commands
    - "tools": receiver and generators are started on `hosts`, with `mark` in their arguments; "stopped": they
      are stopped
    - "saved": the iteration `case`/`index`
    - "judged": the attempt, as `sound` or not
    - "look": the data were looked at
    - "profile": of the DUT in the trial's cell; if there is none, `failed` says why
    """

    number: int  # from 1
    when: str  # ISO 8601 with offset
    what: str
    done: bool = False  # False: it is about to be taken
    failed: str = ""  # why it did not succeed
    doubt: str = ""  # of undo: what was refused, perhaps because it had been undone before
    parted: bool = False  # of undo that failed: a part of the level was undone, another refused
    trial: int = 0
    attempt: int = 0
    factor: str = ""
    level: int = -1  # index in `DesignFactor.levels`
    old: tuple[str, ...] = ()  # what the level's `restore` printed before it
    host: str = ""
    hosts: tuple[str, ...] = ()
    mark: str = ""
    probe: bool = False  # of tools: not for a value, but to see whether the DUT forwards, or for a profile
    boot: str = ""
    boots: Mapping[str, str] = {}  # of a level: host that it changes -> its boot identity then
    case: str = ""
    index: int = 0
    sound: bool = False
    decided: bool = False  # of a look: nothing more is measured
    without: tuple[int, ...] = ()  # of a look: trials whose values no longer counted by then
    text: str = ""  # for people: a command and its output, the reason of an end


class _Header(msgspec.Struct, frozen=True, tag="header", tag_field="kind"):
    schema: int = SCHEMA


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Header | Step)


def _line(record: _Header | Step) -> bytes:
    payload = _encoder.encode(record)
    return b'{"crc":"%08x","d":%s}\n' % (zlib.crc32(payload), payload)


def _steady_clock() -> Callable[[], str]:
    """A clock that goes on from now by our monotonic clock: setting the time must not reorder steps."""
    opened, began = datetime.datetime.now(datetime.UTC), time.monotonic()

    def now() -> str:
        return (opened + datetime.timedelta(seconds=time.monotonic() - began)).isoformat(
            timespec="milliseconds"
        )

    return now


class Journal:
    """The journal of an experiment that is being run; `steps` are all its steps so far."""

    def __init__(self, folder: Path, descriptor: int, steps: list[Step]) -> None:
        """Use `begin` or `go_on`."""
        self.folder = folder
        self.steps = steps
        self.written: Callable[[Step], None] = lambda step: None
        """Called with each step once it is on disk."""
        self._descriptor = descriptor
        self.now = _steady_clock()
        """The date of the next step, ISO 8601."""

    @classmethod
    def begin(cls, folder: Path, plan: Plan, text: str) -> "Journal":
        """Begin the journal of `plan` in a session's folder; `text` is its experiment.toml.

        Raises FwdtuiError if the session has an experiment already, OSError with the file or folder if it
        cannot be written.
        """
        if (folder / JOURNAL).exists():
            raise FwdtuiError(f"{folder}: has an experiment already; continue it with --resume")
        with naming(folder):
            return cls(folder, cls._begun(folder, plan, text), [])

    @staticmethod
    def _begun(folder: Path, plan: Plan, text: str) -> int:
        """Write the experiment and the journal's first line; the journal's descriptor."""
        for name, data in ((TEXT, text.encode()), (PLAN, msgspec.json.encode(plan) + b"\n")):
            with contextlib.suppress(FileNotFoundError):  # left by a run that did not get to its journal
                (folder / name).unlink()
            write_new(folder / name, data)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder / JOURNAL, flags, 0o600)
        try:
            write_all(descriptor, _line(_Header()))
            os.fsync(descriptor)
            sync_folder(folder)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    @classmethod
    def go_on(cls, folder: Path, plan: Plan) -> "Journal":
        """The journal of an interrupted run of `plan`, to be continued.

        Raises FwdtuiError if there is none, if it is damaged, or if it belongs to another plan.
        """
        recorded, steps, size = _read(folder)
        check_plan(folder, recorded, plan)
        descriptor = os.open(folder / JOURNAL, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        os.ftruncate(descriptor, size)
        os.lseek(descriptor, size, os.SEEK_SET)
        if not size:  # killed before its first line
            write_all(descriptor, _line(_Header()))
        return cls(folder, descriptor, steps)

    def write(self, step: Step) -> Step:
        """Add a step, and return it numbered and dated. Raises OSError; then it is not in the file.

        A deleted file still accepts what is written to it, but it could never be read: that is an error, too.
        So is a file that would become larger than what is read.
        """
        if not os.fstat(self._descriptor).st_nlink:
            raise OSError(
                errno.ENOENT, "it was deleted, with what was measured so far", str(self.folder / JOURNAL)
            )
        step = msgspec.structs.replace(step, number=len(self.steps) + 1, when=self.now())
        size = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        line = _line(step)
        if size + len(line) > (MOST if step.what in (UNDO, STOPPED, ENDED) else MOST - _LAST):
            raise OSError(
                errno.EFBIG,
                f"it has {len(self.steps)} steps, and a journal of more than {MOST // opening.MIB} MiB cannot"
                " be read back: plan fewer iterations or hooks per experiment",
                str(self.folder / JOURNAL),
            )
        try:
            write_all(self._descriptor, line)
            os.fsync(self._descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)
                os.lseek(self._descriptor, size, os.SEEK_SET)
            raise
        self.steps.append(step)
        self.written(step)
        return step

    @property
    def is_long(self) -> bool:
        """Whether texts that are only for people should be left out, so that there is room for steps."""
        return os.lseek(self._descriptor, 0, os.SEEK_CUR) > _WORDY

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def check_plan(folder: Path, recorded: Plan, plan: Plan) -> None:
    """Raise FwdtuiError if `plan` is not the one with which the session's experiment was begun."""
    if recorded.digest != plan.digest:
        raise FwdtuiError(
            f"{folder}: was begun with another experiment.toml (its copy is {folder / TEXT}), other files to"
            " upload, or another --seed or --aa, so old and new values could not be compared: restore what it"
            " was begun with, or begin a new session without --resume"
        )
    if msgspec.json.encode(recorded) != msgspec.json.encode(plan):
        raise FwdtuiError(
            f"{folder}: was begun with another plan ({folder / PLAN}) of the same experiment.toml: the"
            " times or hosts in lab.toml have changed, or another version of fwdtui began it;"
            " restore them, or begin a new session without --resume"
        )


def in_doubt(plan: Plan, steps: Iterable[Step]) -> dict[tuple[str, int], str]:
    """(factor, index of its level) -> what was refused, of each level that may or may not be undone.

    Setting a level again ends the doubt about it, unless the level puts back what it finds: that may be what
    was left.
    """
    levels = {factor.name: factor.levels for factor in plan.experiment.factors}
    found: dict[tuple[str, int], str] = {}
    for step in steps:
        if step.what == LEVEL and not levels[step.factor][step.level].restore:
            found.pop((step.factor, step.level), None)
        elif step.what == UNDO and step.done and not step.failed and step.doubt:
            found[step.factor, step.level] = step.doubt
    return found


def is_experiment(folder: Path) -> bool:
    """Whether a session's folder has an experiment."""
    return opening.is_file(folder / JOURNAL)


def read(folder: Path) -> tuple[Plan, tuple[Step, ...]]:
    """The plan and the steps of a session's experiment. Raises FwdtuiError."""
    plan, steps, _ = _read(folder)
    return plan, tuple(steps)


def read_plan(folder: Path) -> Plan:
    """The plan of a session's experiment. Raises FwdtuiError."""
    try:
        raw = opening.read(folder / PLAN, PLAN_MOST)
    except FileNotFoundError:
        raise FwdtuiError(f"{folder / PLAN}: no such file") from None
    except OSError as error:
        raise FwdtuiError(f"{error.filename or folder}: {error.strerror or error}") from None
    content = plain.json(raw, folder / PLAN)
    try:
        return msgspec.convert(content, Plan)
    except msgspec.MsgspecError as error:
        shown: Mapping[str, object] = content if isinstance(content, Mapping) else {}
        raise FwdtuiError(f"{folder / PLAN}: {mistake(error, shown, folder / PLAN)}") from None


def _read(folder: Path) -> tuple[Plan, list[Step], int]:
    """As `read`, and the size of the journal in bytes up to the end of its last whole line."""
    path = folder / JOURNAL
    try:
        data = opening.read(path, MOST)
    except FileNotFoundError:
        raise FwdtuiError(f"{folder}: no experiment was begun here") from None
    except OSError as error:
        raise FwdtuiError(f"{error.filename or folder}: {error.strerror or error}") from None
    plan = read_plan(folder)
    whole = data.rfind(b"\n") + 1
    steps: list[Step] = []
    for number, line in enumerate(data[:whole].splitlines(), 1):
        record = _record(line, f"{path}: line {number}")
        if isinstance(record, Step):
            if not fits(record, plan):
                raise FwdtuiError(
                    f"{path}: line {number}: names a trial or a level that the plan does not have"
                )
            steps.append(record)
    return plan, steps, whole


def fits(step: Step, plan: Plan) -> bool:
    """Whether the plan has the trial and the level that a step names."""
    if not 0 <= step.trial <= len(plan.trials) or step.attempt < 0:
        return False
    if not step.factor:
        return True
    levels = {factor.name: len(factor.levels) for factor in plan.experiment.factors}
    return 0 <= step.level < levels.get(step.factor, 0)


def step_of(line: bytes, where: str) -> Step | None:
    """The step in one line of the journal; None: it is the header. Raises FwdtuiError naming `where`."""
    record = _record(line, where)
    return record if isinstance(record, Step) else None


def _record(line: bytes, where: str) -> _Header | Step:
    match = _LINE.fullmatch(line)
    if not match or int(match[1], 16) != zlib.crc32(match[2]):
        raise FwdtuiError(f"{where}: checksum does not match: what was done is not known")
    try:
        record: _Header | Step = _decoder.decode(match[2])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FwdtuiError(f"{where}: {error}") from None
    if isinstance(record, _Header):
        refuse_newer({"schema": record.schema}, where)
    return record
