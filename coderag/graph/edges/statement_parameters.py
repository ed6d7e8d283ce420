"""Functions that run a parameter as SQL: what a call gives one is a statement, in whichever file they are."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.graph.files import LinkedFile
from coderag.graph.queries.data_access import Names
from coderag.sql.in_code.records import GivenTo, Handed

__all__ = ["Runners"]

MAX_STEPS = 3  # functions that hand a statement on, one to the next
SURE = 0  # candidates of a call that is followed: what it calls is resolved
Definition = tuple[int, int]  # the number of a file, and the position among its definitions


class Runners:
    """The parameters that functions run, by function."""

    def __init__(self, files: Sequence[LinkedFile], names: Names) -> None:
        self._names = names
        self._run: dict[Definition, set[tuple[str, int]]] = {}  # name and position of the parameters
        for number, file in enumerate(files):
            for one in file.links.uses.statement_parameters:
                self._run.setdefault((number, one.owner), set()).add((one.name, one.position))
        if self._run:
            self._follow(files)

    def runs(self, file: int, owner: int, given: GivenTo) -> bool:
        """Tell whether a call runs what it is given, as far as its name tells surely what is called."""
        if not self._run:
            return False
        found = self._names.definitions_of(file, owner, given.callee)
        return found.candidates <= SURE and any(
            given.name == name if given.name else given.position == position
            for definition in found.definitions
            for name, position in self._run.get(definition, ())
        )

    def _follow(self, files: Sequence[LinkedFile]) -> None:
        """Add the functions that hand a parameter on to one that runs it."""
        passing: dict[str, list[tuple[int, Handed]]] = {}
        for number, file in enumerate(files):
            for handed in file.links.uses.handed:
                if handed.parameter and handed.owner >= 0 and not handed.is_behind:
                    passing.setdefault(handed.callee.rpartition(".")[2], []).append((number, handed))
        fresh = set(self._run)
        for _ in range(MAX_STEPS):
            wanted = sorted({files[number].links.definitions[owner].name for number, owner in fresh})
            fresh = set()
            for number, handed in (one for name in wanted for one in passing.get(name, ())):
                given = GivenTo(handed.callee, handed.position, name=handed.name)
                own = self._run.get((number, handed.owner), set())
                parameter = handed.parameter, handed.parameter_position
                if parameter not in own and self.runs(number, handed.owner, given):
                    self._run.setdefault((number, handed.owner), set()).add(parameter)
                    fresh.add((number, handed.owner))
