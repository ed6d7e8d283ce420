"""Access rules of the folders above a root and inside it: they hold whatever folder is given as the root."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.catalog.introspect.introspect import inspect_database
from coderag.catalog.introspect.url import parse_url
from coderag.errors import AccessError, SettingsError
from coderag.index.storage.database_snapshots import write_snapshot
from coderag.index.storage.folder.database_files import paths_inside
from coderag.index.storage.folder.index_path import IndexPath
from tests.test_access import FILES, GLOBS, GROUPS, rule, write_files

INNER = ("app", "app/salary", "payroll", "sql")


def paths_of(index: Index) -> set[str]:
    """Return the files that an index tells of."""
    members = index._snapshot.corpus.members
    return {
        path for member in members for file, path in enumerate(member.segment.paths.all()) if file not in member.dead
    }


def below(folder: str, paths: Sequence[str]) -> set[str]:
    """Return those of some paths that lie in a folder, from there."""
    return {path.removeprefix(f"{folder}/") for path in paths if path.startswith(f"{folder}/")}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with all files, and no rules yet."""
    write_files(tmp_path / "work/shop", sorted(FILES))
    return tmp_path / "work/shop"


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    globs=st.lists(st.sampled_from(sorted(GLOBS)), min_size=1, max_size=2),
    but=st.lists(st.sampled_from(sorted(GLOBS)), max_size=1),
    having=st.lists(st.sampled_from(GROUPS), max_size=2, unique=True),
    groups=st.lists(st.sampled_from(GROUPS), max_size=2, unique=True),
    inner=st.sampled_from(INNER),
    above=st.integers(0, 2),
)
def test_a_folder_shows_as_root_what_it_shows_inside_another(
    globs: list[str], but: list[str], having: list[str], groups: list[str], inner: str, above: int
) -> None:
    def named(path: str) -> bool:
        return any(GLOBS[glob](path) for glob in globs) and not any(GLOBS[one](path) for one in but)

    met = bool(set(having) & set(groups))
    seen = [path for path in FILES if met or not named(path)]
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder, "work/shop")
        write_files(shop, sorted(FILES), rule([*globs, *(f"!{one}" for one in but)], having))
        assert paths_of(Index.build(shop / inner, workers=0).as_seen_by(groups)) == below(inner, seen) - {"blob.py"}
        # And the other way about: the rules of a folder hold in every root around it.
        outer = [shop, *shop.parents][above]
        lead = shop.relative_to(outer).as_posix()
        index = Index.build(outer, workers=0, index=Path(folder, "index"))
        expected = {path if above == 0 else f"{lead}/{path}" for path in seen if not path.endswith("blob.py")}
        assert paths_of(index.as_seen_by(groups)) == expected


@pytest.mark.parametrize("name", ["shop", "work", "app"])
def test_a_repository_hides_what_is_inside_it_as_a_root(shop: Path, name: str) -> None:
    (shop.parent / "coderag.toml").write_text(f"[[access]]\nrepositories = ['{name}']\ngroups = ['hr']\n")
    index = Index.build(shop / "app", workers=0)
    assert not paths_of(index.as_seen_by(["dev"]))
    assert paths_of(index.as_seen_by(["hr"])) == paths_of(index)
    assert len(index.as_seen_by(["dev"]).status()[0].languages) == 0


def test_a_repository_inside_another_is_hidden_in_it(shop: Path) -> None:
    (shop / "payroll/coderag.toml").write_text("[[access]]\nrepositories = ['payroll']\ngroups = []\n")
    index = Index.build(shop, workers=0)
    assert paths_of(index) - paths_of(index.as_seen_by(["hr"])) == {one for one in FILES if one.startswith("payroll/")}


def test_rules_that_change_hold_at_once_and_are_kept_by_the_next_update(shop: Path) -> None:
    index = Index.build(shop / "app", workers=0)
    everything = paths_of(index)
    for settings_file, path in (
        (shop / "coderag.toml", "salary/paid.py"),
        (shop / "app/salary/coderag.toml", "paid.py"),
    ):
        assert index.stale_paths() == []
        settings_file.write_text(rule([path.replace("salary/paid.py", "app/salary/paid.py")], ["hr"]))
        assert paths_of(index.as_seen_by(["dev"])) == everything - {"salary/paid.py"}
        assert paths_of(index.as_seen_by(["hr"])) == everything
        assert index.stale_paths() != []
        index.update(workers=0)
        assert index.reports[0].read == 0
        settings_file.unlink()
        assert paths_of(index.as_seen_by(["dev"])) == everything - {"salary/paid.py"}  # the index keeps them
        index.update(workers=0)
        assert paths_of(index.as_seen_by(["dev"])) == everything


def test_an_index_takes_the_rules_around_it_along(shop: Path, tmp_path: Path) -> None:
    (shop / "coderag.toml").write_text(rule(["/app/salary/"], ["hr"]))
    Index.build(shop / "app", workers=0)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(shop / "app/.coderag", elsewhere / ".coderag")
    assert "salary/paid.py" not in paths_of(Index.open(elsewhere).as_seen_by(["dev"]))
    assert "salary/paid.py" in paths_of(Index.open(elsewhere).as_seen_by(["hr"]))


def test_a_link_to_a_folder_is_that_folder(shop: Path, tmp_path: Path) -> None:
    (shop / "coderag.toml").write_text(rule(["payroll/"], ["hr"]))
    (tmp_path / "link").symlink_to(shop / "payroll")
    for root in (tmp_path / "link", shop / "app/../payroll", tmp_path / "link/../payroll"):
        index = Index.build(root, root, workers=0, index=tmp_path / "index")
        assert paths_of(index) == {"salaries.sql", "queries.sql", "lost.sql"}
        assert not paths_of(index.as_seen_by(["dev"]))


def test_the_index_of_a_root_is_no_way_around_its_rules_for_a_folder_inside(shop: Path) -> None:
    (shop / "coderag.toml").write_text(rule(["/payroll/"], ["hr"]))
    Index.build(shop, workers=0)
    seen = Index.open(shop / "payroll", index=shop / ".coderag").as_seen_by(["dev"])
    assert not any("salar" in path for path in paths_of(seen) if path.startswith("payroll"))


BROKEN = {
    "toml": b"[[access]\n",
    "key": b"[[access]]\npath = ['a']\ngroups = []\n",
    "typo": b"[[acess]]\npaths = ['access']\ngroups = []\n",
    "utf-16": "[[access]]\npaths = ['a']\ngroups = []\n".encode("utf-16"),
    "utf-16 without mark": "[[access]]\npaths = ['a']\ngroups = []\n".encode("utf-16-le"),
    "large": b"#" * (2 << 20),
}


@pytest.mark.parametrize("what", [*BROKEN, "fifo", "folder"])
def test_rules_that_cannot_be_read_keep_all_from_callers_of_groups(shop: Path, what: str) -> None:
    place = shop / "coderag.toml"
    place.unlink()
    if what == "fifo":
        os.mkfifo(place)
    elif what == "folder":
        place.mkdir()
    else:
        place.write_bytes(BROKEN[what])
    index = Index.build(shop / "app", workers=0)  # who sees all has no need of them
    assert index.search("parse the date of a salary")
    with pytest.raises(SettingsError, match=r"coderag\.toml: .*callers of groups get no answer") as told:
        index.as_seen_by(["hr"])
    assert str(told.value).startswith(str(place))
    if what not in {"fifo", "folder"}:
        place.write_text("")
        assert index.as_seen_by(["hr"]).search("parse the date of a salary")
    # Inside a root, the folder that they are about is hidden.
    outer = Index.build(shop.parent, workers=0)
    assert paths_of(outer)
    if what in {"fifo", "folder"}:
        assert not paths_of(outer.as_seen_by(["hr"]))


@pytest.mark.parametrize("what", BROKEN)
def test_a_folder_whose_rules_cannot_be_read_is_hidden(shop: Path, what: str) -> None:
    (shop / "payroll/coderag.toml").write_bytes(BROKEN[what])
    index = Index.build(shop, workers=0)
    hidden = {one for one in FILES if one.startswith("payroll/")}
    assert paths_of(index) - paths_of(index.as_seen_by(["hr"])) == hidden


def test_settings_without_access_rules_may_be_what_they_like(shop: Path) -> None:
    (shop / "coderag.toml").write_text("[schema\n")
    (shop / "payroll/coderag.toml").write_text("[[files]]\nname = 1\n")
    assert paths_of(Index.build(shop / "app", workers=0).as_seen_by([])) == {
        *below("app", sorted(FILES)) - {"blob.py"},
    }


@pytest.mark.slow
def test_rules_for_databases_of_a_folder_above_are_told_by_its_index(shop: Path) -> None:
    name = Index.build(shop, workers=0).table("salaries")[0].table.name.database
    shutil.rmtree(shop / ".coderag")
    (shop / "coderag.toml").write_text(f"[[access]]\ndatabases = ['{name}']\ngroups = ['hr']\n")
    (shop / "app/paid.py").write_text("def paid(db):\n    return db.execute('SELECT amount FROM salaries')\n")
    app, payroll = (Index.build(shop / folder, workers=0) for folder in ("app", "payroll"))
    with pytest.raises(AccessError, match=f'run "coderag index {shop}"') as told:
        app.as_seen_by(["dev"])
    assert name not in str(told.value).replace(str(shop), "")
    assert app.as_seen_by(["hr"]).search("salary")
    Index.build(shop, workers=0)
    assert paths_of(app) - paths_of(app.as_seen_by(["dev"])) == {"paid.py"}
    assert paths_of(payroll.as_seen_by(["dev"])) == {"lost.sql"}
    assert not payroll.as_seen_by(["dev"]).tables()
    # What that index does not know as it is now may be about anything.
    (shop / "app/dates.py").write_text("def parse_date(db):\n    return db.execute('SELECT person FROM salaries')\n")
    app.update(workers=0)
    assert paths_of(app) - paths_of(app.as_seen_by(["dev"])) == {"paid.py", "dates.py"}


def test_rules_for_databases_of_a_folder_inside_are_told_by_its_index(shop: Path) -> None:
    name = Index.build(shop / "payroll", workers=0).table("salaries")[0].table.name.database
    (shop / "payroll/coderag.toml").write_text(f"[[access]]\ndatabases = ['{name}']\ngroups = ['hr']\n")
    index = Index.build(shop, workers=0)
    hidden = paths_of(index) - paths_of(index.as_seen_by(["dev"]))
    assert hidden == {"payroll/salaries.sql", "payroll/queries.sql"}
    shutil.rmtree(shop / "payroll/.coderag")
    hidden = paths_of(index) - paths_of(index.as_seen_by(["dev"]))
    assert hidden == {one for one in FILES if one.startswith("payroll/")}


def ask(root: Path, file: Path, *, inside: bool = True) -> None:
    """Make a database and keep its schema in the index of a root; `inside`: where it lies in it, too."""
    file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE IF NOT EXISTS people (id int PRIMARY KEY, secret text)")
    database.commit()
    database.close()
    url = parse_url(f"sqlite:///{file}")
    places = paths_inside(root, url.path) if inside else None
    write_snapshot(IndexPath(root / ".coderag"), url.name, inspect_database(url), inside=places)


@pytest.mark.slow
@pytest.mark.parametrize("inside", [True, False])
def test_a_database_file_stays_hidden_when_its_root_moves(shop: Path, tmp_path: Path, inside: bool) -> None:
    (shop / "coderag.toml").write_text(rule(["/data/*.db", "!/data/open.db"], ["hr"]))
    Index.build(shop, workers=0)
    ask(shop, shop / "data/crm.db", inside=inside)
    ask(shop, shop / "data/open.db", inside=inside)
    root = shop
    for name in ("shop", "moved", "again"):
        root = root.rename(tmp_path / name)
        index = Index.open(root)
        index.update(workers=0)
        assert len(index.asked) == 2
        assert not any("crm.db" in name for name in index.as_seen_by(["dev"]).asked)
        assert len(index.as_seen_by(["hr"]).asked) == 2
        if inside:
            assert ["open.db" in name for name in index.as_seen_by(["dev"]).asked] == [True]


@pytest.mark.slow
def test_a_database_file_is_hidden_by_each_way_to_it(shop: Path, tmp_path: Path) -> None:
    (shop / "coderag.toml").write_text(rule(["data/"], ["hr"]))
    for root in (shop, shop / "app"):
        Index.build(root, workers=0)
    (tmp_path / "link").symlink_to(shop)
    (shop / "app/crm.db").symlink_to(shop / "data/crm.db")
    for file in (tmp_path / "link/data/crm.db", shop / "app/crm.db", shop / "app/../data/crm.db"):
        for root in (shop, shop / "app"):
            ask(root, file)
            index = Index.open(root)
            index.update(workers=0)
            assert len(index.asked) == 1
            assert index.as_seen_by(["hr"]).table("people")
            assert not index.as_seen_by(["dev"]).asked
            assert not index.as_seen_by(["dev"]).table("people")
            shutil.rmtree(root / ".coderag/databases")


def test_rules_may_stand_in_a_folder_whose_name_is_no_text(shop: Path) -> None:
    folder = os.fsdecode(os.fsencode(shop) + b"/app/caf\xe9")
    try:
        Path(folder).mkdir()
    except OSError:
        pytest.skip("names of files are text here")
    Path(folder, "secret.py").write_text("def secret_recipe():\n    return 'beans'\n")
    Path(folder, "coderag.toml").write_text(rule(["secret.py"], ["hr"]))
    index = Index.build(shop, workers=0)
    assert [hit.chunk.name for hit in index.as_seen_by(["hr"]).search("secret_recipe", k=1)] == ["secret_recipe"]
    assert "secret_recipe" not in {hit.chunk.name for hit in index.as_seen_by(["dev"]).search("secret_recipe")}
