"""Files of which one is like the other."""

from __future__ import annotations

from coderag.graph.graph import Graph
from coderag.graph.queries.families import Family, families, family_lines
from tests.graph.sketch import sketch


def found(graph: Graph) -> list[Family]:
    return families(graph, list(range(len(graph.paths))))


def files(*paths: str, names: str = "up down") -> str:
    return "\n".join(f"{path} method {path}.{name} 1-2" for path in paths for name in names.split())


def test_migrations_are_one_family() -> None:
    graph = sketch(files(*(f"db/migrations/00{number}_change.py" for number in range(4)), "db/models.py"))
    [family] = found(graph)
    assert (family.kind, family.folder, family.files) == ("migrations", "db/migrations", 4)
    assert family_lines([family]) == ["4 migrations in db/migrations"]


def test_files_of_a_folder_of_that_name_that_have_no_version_are_none() -> None:
    """Importers from other programs, say."""
    assert found(sketch(files(*(f"services/migrations/{name}.py" for name in "abcdef")))) == []


def test_what_a_generator_wrote_for_every_table_is_a_family() -> None:
    names = " ".join(f"and{number}IsNull" for number in range(14))
    paths = [f"model/{chr(65 + number)}xExample.java" for number in range(12)]
    [family] = found(sketch(files(*paths, names=names)))
    assert (family.kind, family.files) == ("*Example.java", 12)
    assert family_lines([family]) == ["12 files *Example.java in model with nearly the same definitions"]


def test_controllers_with_the_usual_five_actions_are_none() -> None:
    paths = [f"app/{chr(65 + number)}xController.php" for number in range(12)]
    assert found(sketch(files(*paths, names="index store show update destroy"))) == []


def test_migrations_of_many_folders_are_one_line() -> None:
    several = [Family("migrations", f"{name}/migrations", ("a", "b", "c")) for name in "abc"]
    assert family_lines(several) == ["9 migrations in 3 folders, 3 of them in a/migrations"]
