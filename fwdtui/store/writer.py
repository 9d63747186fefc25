"""Writes sessions: an iteration counts only once it is committed, and then it is on disk.

An iteration's folder appears when it begins. It counts only once it has an iteration.json, which is written
last (temporary file, fsync, rename). A writer that dies leaves an unfinished folder, never a wrong one.

Folders are held open and written to through their descriptors: what is recorded goes into the session that
was opened, even if it is renamed meanwhile, and never through a link inside it.
"""

import contextlib
import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.findings import HostFindings
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import SCHEMA, Fact
from fwdtui.core.text import clean
from fwdtui.store import annotations, host_settings, hygiene, lock, opening
from fwdtui.store.atomic import sync_folder, write_new
from fwdtui.store.iteration_writer import IterationWriter
from fwdtui.store.names import RECORDING, case_folder
from fwdtui.store.open_folder import OpenFolder
from fwdtui.store.reader import is_number
from fwdtui.store.records import Appender
from fwdtui.store.schema import (
    SESSION_FILE,
    CaseTable,
    SessionFile,
    decode_session,
    encode_session,
)

_ROOM = ".room"


class Followed(msgspec.Struct, frozen=True):
    """What happened to a session's folder. `lost`: what was recorded in it before is gone."""

    text: str
    lost: bool = False


class SessionWriter:
    """Creates a session folder, or opens one to add iterations. A session has only one writer at a time."""

    def __init__(self, folder: Path, *, header: bytes | None = None) -> None:
        """Open the session in `folder`. Raises FwdtuiError or OSError. `header` is for `create`."""
        self.folder = folder
        self._open = OpenFolder(folder)
        self._writing: list[IterationWriter] = []
        self._newest: dict[str, IterationWriter] = {}  # of each case's folder
        try:
            taken = lock.take_within(self._open.descriptor, lock.RECORDING)
            if taken is None:
                raise FwdtuiError(f"{folder}: another fwdtui is writing to this session")
            self._lock = taken
            try:
                if header is not None:
                    write_new(SESSION_FILE, header, within=self._open.descriptor)
                    os.fsync(self._open.descriptor)
                self._header = opening.read(SESSION_FILE, within=self._open.descriptor)
                # refuses a damaged session: what is added to it could not be read
                decode_session(self._header, folder / SESSION_FILE)
            except BaseException:
                taken.release()
                raise
        except BaseException:
            self._open.close()
            raise

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        label: str,
        created: str,
        facts: Mapping[str, Fact] | None = None,
        lab: Mapping[str, object] | None = None,
        imported: str = "",
        factors: Mapping[str, FactorValue] | None = None,
        case_factors: Mapping[str, Mapping[str, FactorValue]] | None = None,
    ) -> "SessionWriter":
        """Create a session in `folder`, which must not exist.

        `created` is ISO 8601 with an offset, or "" if it is not known when the session was recorded.
        `imported` has the same form, or is "" if it was recorded here. `lab` is the lab.toml that it is
        recorded with, as fwdtui.core.lab.plain gives it. Raises FwdtuiError or OSError, leaving nothing.
        """
        file = SessionFile(
            schema=SCHEMA,
            label=label,
            created=created,
            imported=imported,
            facts=dict(facts or {}),
            lab=lab,
            factors=dict(factors or {}),
            cases={name: CaseTable(dict(given)) for name, given in (case_factors or {}).items() if given},
        )
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            return cls._made(folder, encode_session(file))
        except FileExistsError:
            raise FwdtuiError(f"{folder}: exists already; choose another name or remove it") from None

    @classmethod
    def _made(cls, folder: Path, header: bytes) -> "SessionWriter":
        folder.mkdir(mode=0o700)
        writer: SessionWriter | None = None
        try:
            writer = cls(folder, header=header)
            sync_folder(folder.parent)
        except BaseException:
            if writer is not None:
                writer.close()
            with contextlib.suppress(OSError):
                (folder / SESSION_FILE).unlink(missing_ok=True)
                folder.rmdir()
            raise
        return writer

    def begin(self, case: str) -> IterationWriter:
        """Begin the next iteration of `case`, counted from 1; an unfinished folder's number is not reused.

        Raises OSError, or FwdtuiError if there is no number left.
        """
        for one in self._writing:
            if one.is_open and one.withdrawn:  # else what is written again would count twice
                one.uncount()
        case = clean(case)  # as it will be read back: the folder's name follows from it
        name = case_folder(case)
        self._make_case(name)
        parent = opening.open_folder(name, within=self._open.descriptor)
        try:
            index, number = self._next(parent, name, case)
            try:
                os.fsync(parent)
                descriptor = opening.open_folder(number, within=parent)
            except BaseException:  # else each further try would leave one more unfinished folder
                with contextlib.suppress(OSError):
                    os.rmdir(number, dir_fd=parent)
                raise
        finally:
            os.close(parent)
        writing = IterationWriter(self.folder / name / number, descriptor, case, index)
        self._writing = [one for one in self._writing if one.is_open] + [writing]
        self._newest[name] = writing
        return writing

    def _make_case(self, name: str) -> None:
        """Make a case's folder unless it exists, durably: else a power failure loses all of a new case."""
        try:
            os.mkdir(name, 0o700, dir_fd=self._open.descriptor)
        except FileExistsError:
            return
        try:
            os.fsync(self._open.descriptor)
        except BaseException:  # the next try makes it again
            with contextlib.suppress(OSError):
                os.rmdir(name, dir_fd=self._open.descriptor)
            raise

    def _next(self, parent: int, name: str, case: str) -> tuple[int, str]:
        """Make the folder of the next iteration in the case's folder `name`; returns its number and its name.

        The case's folder is listed only if it is not known what is in it: a case may have thousands. The
        number of an iteration that was dropped, and then removed, is not reused: the new one would be
        dropped.
        """
        newest = self._newest.get(name)
        if newest is not None and not newest.withdrawn:
            index = newest.index + 1
            with contextlib.suppress(FileExistsError):
                return index, self._made_number(parent, name, index)
        taken = [int(n) for n in opening.names(parent) if is_number(n)]
        said = annotations.read_annotations(self.folder)
        dropped = [one.index for one in said.dropped if one.case in (case, name)]
        taken += [index for index in dropped if is_number(str(index + 1))]  # people may type any number
        index = max(taken, default=0) + 1
        return index, self._made_number(parent, name, index)

    def _made_number(self, parent: int, name: str, index: int) -> str:
        number = f"{index:03d}"
        if not is_number(number):  # a reader would not see it
            raise FwdtuiError(f"{self.folder / name}: there is no number after {index - 1}")
        os.mkdir(number, 0o700, dir_fd=parent)
        return number

    def check(self, case: str) -> None:
        """Raise OSError if iterations of `case` could not be written: its folder is a link or a file."""
        with contextlib.suppress(FileNotFoundError):
            os.close(opening.open_folder(case_folder(clean(case)), within=self._open.descriptor))

    def check_room(self, size: int) -> None:
        """Raise OSError if `size` more bytes could not be saved; writes and removes as many to find out."""
        free = os.fstatvfs(self._open.descriptor)
        if free.f_bavail * free.f_frsize < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # quotas, limits and failing disks do not show in statvfs
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_ROOM, dir_fd=self._open.descriptor)
        write_new(_ROOM, os.urandom(size), within=self._open.descriptor)
        os.unlink(_ROOM, dir_fd=self._open.descriptor)

    def record(self) -> Appender:
        """Begin a new recording beside the cases: everything from the first sample on, iterations or not.

        Its name is durable, too: else a power failure could lose all of it. Raises OSError, leaving no file.
        """
        descriptor = self._open.descriptor
        taken = [int(m[1]) for name in opening.names(descriptor) if (m := RECORDING.fullmatch(name))]
        name = f"recording-{max(taken, default=0) + 1:03d}.jsonl"
        appender = Appender(name, within=descriptor)
        try:
            os.fsync(descriptor)
        except BaseException:  # the next try makes it again
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=descriptor)
            with contextlib.suppress(OSError):
                appender.close()
            raise
        return appender

    def keep_settings(self, settings: HostSettings, *, limited: bool = True) -> bool:
        """Write a host's settings beside the cases; False: there are too many of this host already.

        `limited`: to the few that a recording may have of one host. Raises OSError, or FwdtuiError if they
        are too large.
        """
        most = host_settings.MOST if limited else host_settings.FILES_MOST
        return bool(host_settings.write(self._open.descriptor, settings, most))

    def settings(self) -> dict[str, HostSettings]:
        """Host -> its newest settings in this session, from earlier recordings."""
        return host_settings.latest(self._open.descriptor)

    def keep_hygiene(self, readings: Sequence[HostFindings]) -> None:
        """Write what was found on the hosts: `readings` replace those in the file. Raises OSError."""
        hygiene.write(self._open.descriptor, readings)

    def hygiene(self) -> tuple[HostFindings, ...]:
        """What was found on the hosts by earlier recordings. Raises FwdtuiError."""
        return hygiene.read(Path(hygiene.FILE), self._open.descriptor)

    def set_hygiene_aside(self) -> str:
        """Keep a damaged hygiene.json under another name, which is returned. Raises OSError."""
        return hygiene.set_aside(self._open.descriptor)

    def follow(self) -> Followed | None:
        """Check where the session's folder is now; returns what happened to it, None if nothing did.

        A folder that was renamed is still written to. A deleted one is made again, beside whatever has its
        name now. Raises OSError if that is not possible.
        """
        before = self.folder
        folder = self._open.find(before)
        there = opening.is_file(SESSION_FILE, within=self._open.descriptor)
        if folder == before and there:
            return None
        if there:
            if folder is None:
                return Followed(f"{before} was moved away; recording goes on in it, wherever it is now")
            self.folder = folder
            return Followed(f"{before} was renamed; recording goes on in {folder}")
        if folder is not None:
            self.folder = folder
            write_new(SESSION_FILE, self._header, within=self._open.descriptor)
            text = f"{folder / SESSION_FILE} was deleted, and perhaps more; recording goes on in {folder}"
            return Followed(text, lost=True)
        self._again(before)
        text = f"{before} was deleted, with what was recorded in it; recording goes on in {self.folder}"
        return Followed(text, lost=True)

    def _again(self, before: Path) -> None:
        """Make the deleted folder again, beside whatever has its name now, and write there from now on."""
        before.parent.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            folder = before if number == 1 else before.with_name(f"{before.name}-{number}")
            try:
                made = SessionWriter._made(folder, self._header)
                break
            except FileExistsError:
                number += 1
        self._lock.release()
        self._open.close()
        self.folder, self._open, self._lock = made.folder, made._open, made._lock
        self._newest = {}

    def close(self) -> None:
        """Release the lock and remove its file; a second call does nothing."""
        for one in self._writing:
            with contextlib.suppress(OSError):
                one.close()
        self._lock.release()
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
