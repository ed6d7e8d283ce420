"""Fixtures of the tests of agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.machine import Machine, make_machine
from tests.commands import Commands


@pytest.fixture
def machine(tmp_path: Path, commands: Commands) -> Machine:
    """A machine with coderag and nothing else."""
    return make_machine(tmp_path, commands)
