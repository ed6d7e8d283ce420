"""A translated message leads to the code that asks for it by its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.files.translations import is_source_translation
from coderag.search.retrieval.translations import key_of, row_of
from tests.workspace import write

MESSAGE = "The mailbox could not be opened"
SHOW = "<?php\n\nfunction show_mailbox($box)\n{\n    if (!$box->open()) {\n        return %s;\n    }\n}\n"
OTHERS = "<?php\n\n// The mailbox could be any.\nfunction open_mailbox($box)\n{\n    return $box->not_opened();\n}\n"


CASES = {
    "arrays of PHP, after the name of the file": (
        "lang/en/mail.php",
        "<?php\n\nreturn [\n    'sent' => 'Sent',\n    'box_failed' => '{}',\n];\n",
        "__('mail.box_failed')",
    ),
    "assignments of PHP": (
        "localization/en_US/labels.inc.php",
        "<?php\n\n$labels['box_failed'] = '{}';\n",
        "$app->gettext('box_failed')",
    ),
    "an object of TypeScript": (
        "src/locales/en.ts",
        'export default {\n  mail: {\n    sent: "Sent",\n    box_failed: "{}",\n  },\n}\n',
        "t('mail.box_failed')",
    ),
    "YAML, below its language": (
        "config/locales/en.yml",
        "en:\n  mail:\n    sent: Sent\n    box_failed: {}\n",
        "I18n.t('mail.box_failed')",
    ),
    "a message on lines of its own": (
        "translations/messages.en.yaml",
        "mail:\n    sent: Sent\n    box_failed: >-\n        {}\n",
        "$this->trans('mail.box_failed')",
    ),
    "JSON, without its namespace": (
        "public/locales/en/mail.json",
        '{\n  "errors": {\n    "sent": "Sent",\n    "box_failed": "{}"\n  }\n}\n',
        "t('errors.box_failed')",
    ),
    "a key with dots, of which code has the end": (
        "src/i18n/en.json",
        '{\n  "mail.sent": "Sent",\n  "mail.errors.box_failed": "{}"\n}\n',
        "t('errors.box_failed')",
    ),
    "a message of several numbers": (
        "src/i18n/en.json",
        '{\n  "mail": {\n    "box_failed_one": "One",\n    "box_failed_other": "{}"\n  }\n}\n',
        "t('mail.box_failed')",
    ),
    "a message with a description": (
        "_locales/en/messages.json",
        '{\n  "box_failed": {\n    "message": "{}"\n  }\n}\n',
        "getMessage('box_failed')",
    ),
    "properties": (
        "src/main/resources/messages.properties",
        "mail.sent=Sent\nmail.box_failed={}\n",
        'messages.getMessage("mail.box_failed")',
    ),
    "INI with sections": (
        "options/locale/locale_en-US.ini",
        "[home]\nbox = Box\n\n[mail]\nsent = Sent\nbox_failed = {}\n",
        'ctx.Tr("mail.box_failed")',
    ),
    "strings of Android": (
        "app/src/main/res/values/strings.xml",
        '<resources>\n    <string name="sent">Sent</string>\n    <string name="box_failed">{}</string>\n</resources>\n',
        "R.string.box_failed",
    ),
    "resources of .NET": (
        "Properties/Resources.resx",
        '<root>\n  <data name="BoxFailed" xml:space="preserve">\n    <value>{}</value>\n  </data>\n</root>\n',
        "Resources.BoxFailed",
    ),
    "XLIFF": (
        "translations/messages.en.xlf",
        '<xliff>\n  <trans-unit id="mail.box_failed">\n    <target>{}</target>\n  </trans-unit>\n</xliff>\n',
        "$t('mail.box_failed')",
    ),
    "strings of iOS": (
        "App/en.lproj/Localizable.strings",
        '"mail.sent" = "Sent";\n"mail.box_failed" = "{}";\n',
        'NSLocalizedString("mail.box_failed", "")',
    ),
}


@pytest.mark.parametrize(("path", "entry", "use"), CASES.values(), ids=CASES.keys())
def test_a_message_leads_to_what_asks_for_it_and_then_to_where_it_is_translated(
    tmp_path: Path, path: str, entry: str, use: str
) -> None:
    german = path.replace("en", "de", 1)
    files = {
        german: entry.replace("{}", "Das Postfach ist zu"),
        path: entry.replace("{}", MESSAGE),
        "app/show.php": SHOW % use,
        "app/open.php": OTHERS,
    }
    hits = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0).search(MESSAGE)
    assert [hit.chunk.path for hit in hits[:2]] == ["app/show.php", path]
    assert "asks for the message by its key" in hits[0].reasons
    assert "has the question verbatim" in hits[1].reasons


def test_a_key_is_completed_by_the_path_of_the_view(tmp_path: Path) -> None:
    entries = "en:\n  mails:\n    show:\n      title: Mail\n  boxes:\n    show:\n      title: {}\n"
    view = "<div>\n  <h1><%= t '.title' %></h1>\n  <p><%= name %></p>\n</div>\n"
    files = {
        "config/locales/en.yml": entries.replace("{}", MESSAGE),
        "app/views/mails/show.html.erb": view,
        "app/views/boxes/show.html.erb": view.replace("name", "size"),
    }
    hits = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0).search(MESSAGE)
    assert [hit.chunk.path for hit in hits[:2]] == ["app/views/boxes/show.html.erb", "config/locales/en.yml"]
    assert "asks for the message by its key" not in hits[2].reasons


def test_code_that_has_the_message_itself_comes_before_its_translations(tmp_path: Path) -> None:
    files = {
        "locales/en.json": f'{{\n  "{MESSAGE}": "{MESSAGE}"\n}}\n',
        "locales/en_GB.json": f'{{\n  "{MESSAGE}": "{MESSAGE}"\n}}\n',
        "app/show.php": SHOW % f"__('{MESSAGE}')",
        "app/open.php": OTHERS,
    }
    hits = Index.build(write(tmp_path / "root", files), index=tmp_path / "index", workers=0).search(MESSAGE)
    assert [hit.chunk.path for hit in hits[:2]] == ["app/show.php", "locales/en.json"]


def test_of_translations_those_are_read_that_the_code_was_written_with() -> None:
    read = [
        *("config/locales/en.yml", "config/locales/client.en-US.yml", "lang/english/main.json", "app/l10n/app_en.arb"),
        *("res/values/strings.xml", "src/main/resources/messages.properties", "App/Base.lproj/Localizable.strings"),
    ]
    left = [
        *("config/locales/de.yml", "lang/pt_BR/main.json", "res/values-de/strings.xml", "App/de.lproj/Main.strings"),
        *(
            ".github/translations.yml",
            "labels.yml",
            "Form1.resx",
            "lang/en_GB.json",
            "res/values-fil/strings.xml",
            "translations/messages.kab.yml",
            "res/values-en-rGB/strings.xml",
        ),
        *("src/main/resources/messages_zh_CN.properties", "gradle.properties", "languages/python.json"),
    ]
    assert [path for path in (*read, *left) if is_source_translation(path)] == read


def test_the_key_is_that_of_the_line_and_of_what_is_above_and_less_indented() -> None:
    text = 'mail:\n  sent:\n    title: "Sent"\n  failed:\n    title: "The mail could not be sent"\n'
    lines = text.split("\n")
    most, row = row_of(lines, ("the", "mail", "could", "not", "be", "sent"))
    assert (most, row) == (6, 4)
    assert key_of(lines, row) == ("mail", "failed", "title")
    assert key_of(["The mail could not be sent"], 0) == ()
    assert key_of(["x" * 5_000 + ": 1"], 0) == ()
