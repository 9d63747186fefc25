"""`fwdtui experiment FILE`: the experiment on its screen, which asks before it begins."""

from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli.screen import need_terminal, run_app

if TYPE_CHECKING:
    from fwdtui.collectors.experiment_file import ReadExperiment


def run(
    read: "ReadExperiment",
    into: Path,
    session: str | None,
    resume: bool,
    aa: bool,
    options: tuple[str, ...] = (),
) -> int:
    """Show the experiment, ask, and run it until the user leaves. Returns 1 if trials are missing.

    `session`: None is a new name, or with `resume` the newest session that was begun with this file.
    `options`: those of the command line that made `read` what it is. Raises FwdtuiError.
    """
    need_terminal("fwdtui experiment --headless")
    from fwdtui.cli.experiment_look import look
    from fwdtui.collectors.lab_trust import UntrustedError
    from fwdtui.core.experiment.order import aa_plan
    from fwdtui.monitor.experiment.opening import check, find_begun, new_name, resumed_by, still
    from fwdtui.monitor.experiment.subject import Subject
    from fwdtui.ui.experiment.control import ExperimentControl
    from fwdtui.ui.experiment.given import Given
    from fwdtui.ui.experiment.screen import ExperimentScreen
    from fwdtui.ui.shell.app import FwdtuiApp

    untrusted = None
    try:
        read.check()
    except UntrustedError as error:
        untrusted = error
    plan = aa_plan(read.plan) if aa else read.plan
    uploads = {source: file.content for source, file in read.uploads.items()}
    subject = Subject(read.lab_path, plan, read.text, uploads, read.lab)
    notes: list[str] = []
    if session is None:
        session = find_begun(into, subject, notes.append) if resume else new_name(subject)
    check(into, session, resume, subject)
    resumed = resumed_by(into, session, subject, read.lab, notes.append) if resume else None
    given = Given(
        subject=subject,
        lab=read.lab,
        path=read.path,
        files=read.files,
        into=into,
        session=session,
        resume=resume,
        looker=look,
        untrusted=untrusted,
        notes=tuple(notes),
        left=still(into, session, subject, read.lab.dut.host) if resume else None,
        resumed=resumed,
        options=(*options, *["--aa"] * aa),
    )
    control = ExperimentControl(given)
    status = run_app(FwdtuiApp(into, live=control, live_screen=ExperimentScreen), control.told)
    return status or (0 if control.complete and not control.shown().view.in_doubt else 1)
