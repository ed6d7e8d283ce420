"""YAML to plain values that know their lines; nothing is constructed but texts, lists and tables."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["Table", "load_yaml", "yaml_text"]

MAX_DEPTH = 60
MAX_NODES = 500_000  # with aliases followed: a few lines of them can stand for billions
NO_LINE_ENDS = dict.fromkeys((0x85, 0x2028, 0x2029), " ")


class Table(dict[str, Any]):
    """A mapping of a YAML document; keys are texts."""

    __slots__ = ("end_line", "line", "lines")

    def __init__(self, line: int, end_line: int) -> None:
        super().__init__()
        self.line = line  # 1-based
        self.end_line = end_line  # the last one that is not empty
        self.lines: dict[str, int] = {}  # of each key

    def text(self, *keys: str) -> str:
        """Return the first of some values that is a text or number, "" if none is."""
        for key in keys:
            if isinstance(value := self.get(key), str | int | float) and not isinstance(value, bool):
                return str(value).strip()
        return ""

    def tables(self, *keys: str) -> list[Table]:
        """Return the tables in the lists or mappings under some keys; of a mapping, each with its key as `name`."""
        texts = []
        for key in keys:
            value = self.get(key)
            if isinstance(value, list):
                texts += [table for table in value if isinstance(table, Table)]
        return texts

    def table(self, key: str) -> Table:
        """Return the table under a key, an empty one where there is none."""
        value = self.get(key)
        return value if isinstance(value, Table) else Table(self.line, self.line)

    def texts(self, key: str) -> list[str]:
        """Return the texts in the list under a key; of a text, that one."""
        value = self.get(key)
        if isinstance(value, str):
            return [value]
        return [str(one) for one in value if not isinstance(one, dict | list)] if isinstance(value, list) else []


def yaml_text(data: bytes) -> str:
    """Return the text of a YAML file, in which lines end where they do elsewhere.

    YAML 1.1 ends them at U+0085, U+2028 and U+2029 as well, which no editor does; here these are spaces.
    """
    return data.decode("utf-8", "replace").translate(NO_LINE_ENDS)


def load_yaml(data: bytes) -> Any:
    """Return the first document of a YAML text; mappings become Tables, scalars texts, None, numbers or booleans.

    Raises ValueError when it is no YAML, nested too deeply, or stands for too much by its aliases.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = yaml_text(data)
    try:
        _check_depth(text, loader)
        node = yaml.compose(text, Loader=loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())[:200]}") from error
    return _Values().of(node, 0) if node is not None else None


def _check_depth(text: str, loader: Any) -> None:
    """Raise ValueError for what is nested too deeply; composing it would crash the C loader."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")


class _Values:
    """Nodes to values, counted."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, node: yaml.Node, depth: int) -> Any:
        self._count += 1
        if depth > MAX_DEPTH or self._count > MAX_NODES:
            raise ValueError("not read: nested too deeply, or too much by its aliases")
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.of(one, depth + 1) for one in node.value]
        end = node.end_mark.line + (node.end_mark.column > 0)
        table = Table(node.start_mark.line + 1, max(end, node.start_mark.line + 1))
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                table[key.value] = self.of(value, depth + 1)
                table.lines[key.value] = key.start_mark.line + 1
        return table


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.tag.endswith(":null"):
        return None
    if node.tag.endswith(":bool"):
        return text.lower() in {"true", "yes", "on", "y"}
    return text
