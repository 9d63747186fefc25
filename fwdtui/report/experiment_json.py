"""An experiment as plain values for JSON; docs/compare.md describes the fields."""

import msgspec

from fwdtui.core.experiment.order import is_aa
from fwdtui.report import experiment_words as words
from fwdtui.report.experiment_summary import ExperimentSummary


def plain(found: ExperimentSummary) -> dict[str, object]:
    """What the report's section says, as numbers and texts; what is not known is null."""
    plan = found.plan
    experiment = plan.experiment
    return {
        "session": found.session,
        "path": found.path,
        "name": found.name,
        "digest": plan.digest,
        "sentence": words.sentence(found),
        "aa": is_aa(plan),
        "floor": msgspec.to_builtins(found.floor),
        "order": experiment.order,
        "seed": experiment.seed,
        "blocks": len(found.order),
        "iterations": experiment.iterations,
        "planned": found.planned,
        "done": found.done,
        "cells": [
            {**msgspec.to_builtins(one), "factors": dict(plan.cells[one.number].factors)}
            for one in found.cells
        ],
        "cells_by_block": [list(block) for block in found.order],
        "factors": msgspec.to_builtins(experiment.factors),
        "traffic": msgspec.to_builtins(experiment.traffic),
        "run": msgspec.to_builtins(experiment.run),
        "margin_percent": experiment.margin,
        "stop": msgspec.to_builtins(experiment.stop),
        "abort": msgspec.to_builtins(experiment.abort),
        "reboots": {
            "planned": sum(trial.boot for trial in plan.trials),
            "done": found.reboots,
            "failed": found.failed_reboots,
            "command": experiment.reboot_command,
        },
        "repeated": msgspec.to_builtins(found.repeated),
        "given_up": list(found.given_up),
        "missing": list(found.missing),
        "looks": msgspec.to_builtins(found.looks),
        "hooks": msgspec.to_builtins(found.hooks),
        "begun": found.begun or None,
        "resumed": msgspec.to_builtins(found.resumed),
        "ended": found.ended or None,
        "ended_at": found.ended_at or None,
        "stopped_by": found.stopped_by or None,
        "running": found.running,
        "not_undone": list(found.not_undone),
        "problems": list(found.problems),
    }
