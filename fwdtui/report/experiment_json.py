"""An experiment as plain values for JSON; docs/compare.md describes the fields."""

import msgspec

from fwdtui.core.experiment.order import boots, is_aa
from fwdtui.report import experiment_words as words
from fwdtui.report.experiment_summary import ExperimentSummary


def plain(summary: ExperimentSummary) -> dict[str, object]:
    """What the report's section says, as numbers and texts; what is not known is null."""
    plan = summary.plan
    experiment = plan.experiment
    return {
        "session": summary.session,
        "path": summary.path,
        "name": summary.name,
        "digest": plan.digest,
        "sentence": words.sentence(summary),
        "aa": is_aa(plan),
        "floor": msgspec.to_builtins(summary.floor),
        "order": experiment.order,
        "seed": experiment.seed,
        "blocks": len(summary.order),
        "iterations": experiment.iterations,
        "planned": summary.planned,
        "done": summary.done,
        "cells": [
            {**msgspec.to_builtins(one), "factors": dict(plan.cells[one.number].factors)}
            for one in summary.cells
        ],
        "cells_by_block": [list(block) for block in summary.order],
        "factors": msgspec.to_builtins(experiment.factors),
        "traffic": msgspec.to_builtins(experiment.traffic),
        "run": msgspec.to_builtins(experiment.run),
        "margin_percent": experiment.margin,
        "stop": msgspec.to_builtins(experiment.stop),
        "abort": msgspec.to_builtins(experiment.abort),
        "reboots": {
            "planned": boots(plan),
            "done": summary.reboots,
            "failed": summary.failed_reboots,
            "command": experiment.reboot_command,
        },
        "repeated": msgspec.to_builtins(summary.repeated),
        "given_up": list(summary.given_up),
        "missing": list(summary.missing),
        "looks": msgspec.to_builtins(summary.looks),
        "hooks": msgspec.to_builtins(summary.hooks),
        "begun": summary.begun or None,
        "resumed": msgspec.to_builtins(summary.resumed),
        "ended": summary.ended or None,
        "ended_at": summary.ended_at or None,
        "stopped_by": summary.stopped_by or None,
        "running": summary.running,
        "not_undone": list(summary.not_undone),
        "hooks_left": list(summary.hooks_left),
        "problems": list(summary.problems),
    }
