"""What a page holds, read as a browser reads it."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["Markup", "read"]

VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})
ADDRESSES = ("href", "src", "action", "data-card", "data-href", "xlink:href")


class Markup(HTMLParser):
    """The elements of a page, its text and the addresses in it."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def addresses(self) -> list[str]:
        """All addresses of links, scripts, forms and what scripts fetch."""
        return [values[name] for _, values in self.elements for name in ADDRESSES if name in values]

    def attributes(self, tag: str, name: str) -> list[str]:
        """Return the values of an attribute of all elements of a tag."""
        return [values[name] for element, values in self.elements if element == tag and name in values]


def read(text: str) -> Markup:
    """Return a page as it is parsed."""
    markup = Markup()
    markup.feed(text)
    markup.close()
    return markup
