"""What stands in code as it is asked for comes first: printed messages, and names that few files have."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Hit, Index, Pipeline
from tests.workspace import write

FILES = {
    "store/loader.py": '''\
def load(path, *, retries):
    """Open a store and read its pages."""
    for attempt in range(retries):
        if path.exists():
            return pages_of(path)
        log.warning("could not open store %s, attempt %d of %d", path, attempt, retries)
    raise StoreError("gave up on the store "
                     "after all attempts")
''',
    "store/open.py": '''\
def open_store(path):
    """Open the store, which could be any: attempt to open a store, or give up on all stores after some attempts."""
    return Store(path, open(path))


class Store:
    """A store that could not be open."""
''',
    "web/client.js": """\
function request(url, key) {
  if (!key) throw new Error("missing key " + key + " for address " + url);
  return fetch(url, { headers: { "x-store-token": key } });
}

function tokens(store) {
  // The token of a store, for the address that is missing a key.
  return store.tokens.map((token) => token.store);
}
""",
    "web/settings.go": """\
package web

// Settings are read from the environment.
func Settings() string { return os.Getenv("STORE_PAGE_LIMIT") }

// Limit of the pages of a store, as the settings of the store have it.
func Limit(store Store) int { return store.Pages.Limit(store.Settings) }
""",
    "web/args.go": """\
package web

func Args(args []string) bool { return args[0] == "--dry-run" }

// Run is dry when the run is dry: nothing runs in it.
func Run(dry bool) { run(dry) }
""",
    "tests/test_loader.py": '''\
def test_code():
    """A code that is E1042 in the test of the loader."""
    assert explain(load) == "E1042"
''',
    "store/main.py": '''\
def start(nodes):
    """Run the seeds on all nodes."""
    runpy.run_path("store/seeds.py")
    for node in nodes:
        if not node.pages:
            raise StoreError(f"cannot seed {node.name} because it has the same pages as the store")


def page_of(path):
    """Return the page of a path."""
    raise StoreError(f"no such page: {path}")
''',
    "store/seeds.py": '''\
def seeds():
    """Return what the store holds at first."""
    return []
''',
    "store/codes.md": "# Codes\\n\\nThe code of the loader: which code it is, and what a code does in the loader.\\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("verbatim")
    return Index.build(write(folder / "root", dict(FILES)), index=folder / "index", workers=0)


def first(index: Index, question: str) -> Hit:
    return index.search(question)[0]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("could not open store %s, attempt %d of %d", "load"),
        ("could not open store /var/lib/store/open.py, attempt 3 of 5", "load"),
        ("2026-11-02 13:45:10,123 WARNING could not open store main, attempt 3 of 5", "load"),
        ("store.StoreError: gave up on the store after all attempts", "load"),
        ("gave up on the store after all", "load"),
        ("Error: missing key tokens for address https://example.org/store", "request"),
        ("cannot seed node-7 because it has the same pages as the store", "start"),
        ("no such page: /var/lib/app/data.json", "page_of"),
    ],
)
def test_a_message_as_a_program_prints_it_leads_to_what_prints_it(index: Index, question: str, name: str) -> None:
    hit = first(index, question)
    assert hit.chunk.name == name
    assert "has the question verbatim" in hit.reasons
    assert hit.parts["verbatim"] > 0
    assert hit.confidence >= 0.95


@pytest.mark.parametrize(
    ("question", "name", "spelled"),
    [
        ("STORE_PAGE_LIMIT", "Settings", "STORE_PAGE_LIMIT"),
        ("where is STORE_PAGE_LIMIT read", "Settings", "STORE_PAGE_LIMIT"),
        ("what does --dry-run do", "Args", "--dry-run"),
        ("who uses x-store-token", "request", "x-store-token"),
        ("what is E1042", "test_code", "E1042"),
        ("where is store/seeds.py loaded", "start", "store/seeds.py"),
    ],
)
def test_what_has_a_rare_name_comes_before_what_lacks_it(index: Index, question: str, name: str, spelled: str) -> None:
    hits = index.search(question)
    assert hits[0].chunk.name == name
    assert f"has {spelled} verbatim" in hits[0].reasons
    has = [spelled in hit.chunk.text for hit in hits]
    assert has == sorted(has, reverse=True)


@pytest.mark.parametrize(
    "question",
    [
        "where is a store opened?",
        "how could a store not open",
        "retry the store after some attempts",
        "read-only and dry-run modes of a token store",
    ],
)
def test_a_question_in_words_is_ranked_by_its_words(index: Index, question: str) -> None:
    ranked = index.search(question)
    assert ranked == index.search(question, pipeline=Pipeline(without=frozenset({"verbatim"})))
    assert not any({"verbatim", "rare_name"} & hit.parts.keys() for hit in ranked)


def test_a_message_that_many_chunks_have_the_words_of_is_found(tmp_path: Path) -> None:
    many = "\n\n".join(f"def part_{at}(pages):\n    return pages.body(request_{at}, request=1)" for at in range(60))
    others = "\n\n".join(f"def other_{at}():\n    return {at}" for at in range(300))
    one = 'def ask():\n    return ask_for("request body pages")\n'
    root = write(tmp_path / "root", {"many.py": many, "one.py": one, "others.py": others})
    with Index.build(root, index=tmp_path / "index", workers=0) as found:
        assert first(found, "request body pages").chunk.name == "ask"


def test_a_message_is_found_whose_only_telling_word_many_chunks_have(tmp_path: Path) -> None:
    many = "\n\n".join(f"def part_{at}(text):\n    return parse(text, {at})" for at in range(400))
    one = 'def warn(log, text):\n    log("Could not parse `" + text)\n'
    root = write(tmp_path / "root", {"a_many.py": many, "one.py": one})
    with Index.build(root, index=tmp_path / "index", workers=0) as found:
        assert first(found, "Could not parse `").chunk.name == "warn"


@pytest.mark.parametrize(
    "question",
    [
        "PWD cannot be set manually.",
        "Failed to copy labels and seals from PWD-old to lid: [Errno 2] No such directory",
        "Content kind PWD is not supported here",
    ],
)
def test_a_message_is_found_whose_values_are_words_of_other_chunks(tmp_path: Path, question: str) -> None:
    """Its own chunk lacks them, and says the same in a comment before."""
    files = {
        "src/errors.rs": "pub enum Failure {\n    /// This variable cannot be set manually: it failed to seal.\n"
        '    #[error("{name} cannot be set manually.")]\n    Automatic { name: String },\n'
        '    #[error("Failed to copy labels and seals from {jar} to {lid}: {e}")]\n    Jar { jar: String },\n'
        '    #[error("Content kind {kind} is not supported here")]\n    Kind { kind: String },\n}\n',
        "src/pwd.rs": "/// The old PWD, which no such directory can have set.\nfn pwd_is_not_set() {}\n",
        "src/lid.rs": "/// Manually seal a lid.\nfn seal_lid(lid: Lid, directory: Directory) -> Errno {}\n",
    }
    index = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0)
    hit = first(index, question)
    assert (hit.chunk.name, hit.confidence) == ("Failure", 0.95)


def test_a_flag_says_more_than_a_name_that_may_be_english(tmp_path: Path) -> None:
    files = {
        "usage.go": "package main\n\nvar usage = `\n    --signal NAME   send a signal to the process\n`\n",
        "server/signal.go": 'package server\n\n// Signal sends a signal, or "shop-server" reloads.\nfunc Signal() {}\n',
    }
    index = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0)
    assert first(index, "shop-server --signal reload").chunk.name == "usage"


def test_a_defined_name_is_looked_up_where_a_question_asks_for_its_use(tmp_path: Path) -> None:
    files = {
        "keys.py": "def select_prev_item():\n    pass\n",
        "map.py": 'def bind(keys):\n    return keys["select_prev_item"]\n',
    }
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as found:
        assert "has select_prev_item verbatim" in first(found, "where is select_prev_item read").reasons


def test_a_route_may_have_two_slashes_in_a_row(tmp_path: Path) -> None:
    files = {
        "conn.py": "def hello(world):\n    return hello(world)\n",
        "log.py": 'def asks(get):\n    get("/hello//world/")\n',
    }
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as found:
        assert first(found, "/hello//world/").chunk.name == "asks"


def test_a_message_that_asks_is_found_where_it_stands_whole(tmp_path: Path) -> None:
    files = {
        "auth.py": "def enable(user):\n    return user.enable(sure=True)\n",
        "form.py": 'def ask(user):\n    return confirm("Are you sure you want to enable it?")\n',
    }
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as found:
        assert "has the question verbatim" in first(found, "Are you sure you want to enable it?").reasons
        asked = found.search("Are you sure that users can enable it?")
        assert not any("verbatim" in hit.parts for hit in asked)


def test_scores_descend_and_a_message_can_be_left_out_of_the_evidence(index: Index) -> None:
    question = "what is E1042"
    scores = [hit.score for hit in index.search(question)]
    assert scores == sorted(scores, reverse=True)
    plain = index.search(question, pipeline=Pipeline(without=frozenset({"verbatim"})))
    assert not any("rare_name" in hit.parts for hit in plain)


def test_conditions_hold_for_what_stands_verbatim(index: Index) -> None:
    hits = index.search("gave up on the store after all attempts", paths=["web/**"])
    assert all(hit.chunk.path.startswith("web/") for hit in hits)


def test_a_name_that_many_files_have_is_no_rare_one(tmp_path: Path) -> None:
    files = {f"part{number}.py": f"def run_{number}():\n    return PAGE_LIMIT\n" for number in range(12)}
    index = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0)
    assert not any("rare_name" in hit.parts for hit in index.search("where is PAGE_LIMIT used"))


def test_a_word_that_a_path_has_is_a_topic_among_other_words(tmp_path: Path) -> None:
    files = {
        "powershell_completions.py": "def write(shell):\n    '''Write the PowerShell script.'''\n    return shell\n",
        "completions.py": "def complete(args):\n    '''Generate the completion of a command.'''\n    return args\n",
        "guide.md": "# Guide\n\nPowerShell has completions, too.\n",
    }
    with Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0) as found:
        assert not any("rare_name" in hit.parts for hit in found.search("PowerShell completion generation"))
        assert any("rare_name" in hit.parts for hit in found.search("who uses PowerShell"))


def test_an_updated_index_takes_the_same_for_the_message(tmp_path: Path) -> None:
    files = {
        f"part_{number}.py": f'def part_{number}(a):\n    """A part of it."""\n    return a\n' for number in range(6)
    }
    files["kinds.py"] = 'def parse(kind):\n    """Parse what is not there."""\n    return Known(kind, error=Format)\n'
    root = write(tmp_path / "root", files)
    with Index.build(root, index=tmp_path / "index", workers=0, graph=False) as index:
        write(root, {"late.py": 'def late(name):\n    return unread(f"not read: op.{name} is not known")\n'})
        index.update(workers=0)
        question = "error when the format is not known"
        found = index.search(question)
    with Index.build(root, index=tmp_path / "fresh", workers=0, graph=False) as fresh:
        assert [(hit.chunk.id, hit.score) for hit in found] == [
            (hit.chunk.id, hit.score) for hit in fresh.search(question)
        ]
    assert found[0].chunk.qualified_name == "parse"  # one word of the message in a string is not the message
