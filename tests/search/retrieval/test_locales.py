"""A translated message leads to the code that asks for it by its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.search.retrieval.locales import is_locale, key_of
from tests.workspace import write

MESSAGE = "The mailbox could not be opened"
SHOW = "<?php\n\nfunction show_mailbox($box)\n{\n    if (!$box->open()) {\n        return %s;\n    }\n}\n"
OTHERS = "<?php\n\n// The mailbox could be any.\nfunction open_mailbox($box)\n{\n    return $box->not_opened();\n}\n"


@pytest.mark.parametrize(
    ("path", "entry", "use"),
    [
        (
            "lang/en/mail.php",
            "<?php\n\nreturn [\n    'sent' => 'Sent',\n    'box_failed' => '{}',\n];\n",
            "__('mail.box_failed')",
        ),
        (
            "localization/en_US/labels.inc.php",
            "<?php\n\n$labels['box_failed'] = '{}';\n",
            "$app->gettext('box_failed')",
        ),
        (
            "src/locales/en.ts",
            'export default {\n  mail: {\n    sent: "Sent",\n    box_failed: "{}",\n  },\n}\n',
            "t('mail.box_failed')",
        ),
    ],
)
def test_what_asks_for_a_message_follows_it(tmp_path: Path, path: str, entry: str, use: str) -> None:
    german = path.replace("en", "de", 1)
    files = {
        path: entry.replace("{}", MESSAGE),
        german: entry.replace("{}", "Das Postfach ist zu"),
        "app/show.php": SHOW % use,
        "app/open.php": OTHERS,
    }
    hits = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0).search(MESSAGE)
    assert [hit.chunk.path for hit in hits[:2]] == [path, "app/show.php"]
    assert "has the question verbatim" in hits[0].reasons
    assert "asks for the message by its key" in hits[1].reasons


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("config/locales/en.yml", "en:\n  mail:\n    sent: Sent\n    box_failed: Mailbox not opened\n"),
        ("public/i18n/en.json", '{\n  "sent": "Sent",\n  "box_failed": "Mailbox not opened"\n}\n'),
    ],
)
def test_configuration_that_is_indexed_is_read_as_well(tmp_path: Path, path: str, entry: str) -> None:
    root = write(
        tmp_path / "root", {path: entry, "app/show.php": SHOW % "t('mail.box_failed')", "app/open.php": OTHERS}
    )
    index = Index.build(root, index=tmp_path / "index", workers=0, contents=("code", "config"))
    hits = index.search("Mailbox not opened")
    assert [hit.chunk.path for hit in hits[:2]] == [path, "app/show.php"]


def test_files_of_translations_are_known_by_their_path() -> None:
    assert is_locale("config/locales/en.yml")
    assert is_locale("src/main/resources/messages_de.properties")
    assert is_locale("res/values/strings.xml")
    assert not is_locale("app/models/locale.rb")
    assert not is_locale("src/messages/send.py")


def test_the_key_is_that_of_the_entry_with_the_most_words() -> None:
    text = '{\n  "sent": "The mail was sent",\n  "failed": "The mail could not be sent"\n}\n'
    assert key_of(text, ("the", "mail", "could", "not", "be", "sent")) == "failed"
    assert key_of("The mail could not be sent", ("mail",)) == ""
