"""Configuration of a reranker: a line to a `RerankerSpec`, which `opening` opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from coderag.encoders.named import checked_address, checked_options, model_folder, named_line, split_line
from coderag.encoders.presets import Preset, Service, find_reranker, find_service, reranker_presets
from coderag.errors import RerankerError

__all__ = ["RerankerSpec", "parse_reranker", "reranker_warning"]

OPTIONS: Mapping[str, frozenset[str]] = {
    "none": frozenset(),
    "cross": frozenset({"revision", "max_tokens", "dtype", "device", "trust_remote_code"}),
    "colbert": frozenset({"revision", "max_tokens", "dtype", "device", "trust_remote_code"}),
    "http": frozenset({"format", "timeout"}),
    "judge": frozenset({"timeout"}),
}
ALL_OPTIONS = frozenset().union(*OPTIONS.values())
TEI = "tei"  # the only format whose requests name no model
ADVICE = (
    'name one as "none", a short name such as "bge-reranker", cross:ID, colbert:ID (or a folder), '
    "http://HOST/PATH#MODEL, cohere:MODEL or judge:http://HOST/PATH#MODEL"
)


@dataclass(frozen=True, slots=True)
class RerankerSpec:
    """How to open a reranker; `str` gives the line that `parse_reranker` reads, without any key."""

    kind: str  # none, cross, colbert, http or judge
    model: str = ""  # a hub id, a folder, or what an endpoint calls its model
    url: str = ""
    revision: str = ""
    max_tokens: int = 0
    dtype: str = ""
    device: str = ""
    format: str = ""  # the endpoint's API: cohere, jina, voyage or tei
    timeout: int = 0  # seconds
    trust_remote_code: bool = False
    trusted: bool = field(default=False, compare=False, repr=False)  # chosen by the user, not by a file in a repository

    def __str__(self) -> str:
        defaults = RerankerSpec(self.kind)
        options = {
            name: value
            for name, value in asdict(self).items()
            if name in OPTIONS[self.kind] and value != getattr(defaults, name)
        }
        head = f"{self.url}#{self.model}" if self.url and self.model else self.url or self.model
        return named_line(head if self.kind == "http" else f"{self.kind}:{head}" if head else self.kind, options)


def parse_reranker(text: str, *, base: Path | None = None, trusted: bool = True) -> RerankerSpec:
    """Parse a line that names a reranker; folders are relative to `base`, else to the current one.

    `none`, `bge-reranker` (a preset), `cross:ID@REVISION` or `cross:FOLDER`, `colbert:ID`, `http://HOST/rerank#MODEL`
    (without a model: text-embeddings-inference), `cohere:MODEL`, `judge:openai:MODEL`,
    `judge:http://HOST/v1/chat/completions#MODEL`. `trusted` is False for a line from a file in a repository. Raises
    RerankerError for anything else.
    """
    head, model, options = split_line(text, ALL_OPTIONS)
    spec = _head_spec(head, model, base or Path())
    checked = checked_options(options, OPTIONS[spec.kind], where=f"reranker {head[:200]!r}", error=RerankerError)
    return replace(spec, trusted=trusted, **checked)


def reranker_warning(spec: RerankerSpec) -> str:
    """Return the warning to show to a user who chooses this reranker, else ""."""
    preset = find_reranker(spec.model)
    return f"{preset.model}: {preset.warning}" if preset and preset.warning else ""


def _head_spec(head: str, model: str, base: Path) -> RerankerSpec:
    """Return the spec of the part of a line before the options."""
    if head == "none" and not model:
        return RerankerSpec("none")
    if head.startswith(("http://", "https://")):
        url = checked_address(head, error=RerankerError)
        return RerankerSpec("http", model, url=url, format="" if model else TEI)
    scheme, colon, rest = head.partition(":")
    if colon and scheme == "judge":
        return _judge(rest, model)
    if model:
        raise RerankerError(f'reranker {head[:200]!r}: only an address is followed by "#"; {ADVICE}')
    if colon and rest and scheme in {"cross", "colbert"}:
        return _hub(scheme, rest, base)
    if colon and rest and (service := find_service(scheme)) and service.rerank:
        return RerankerSpec("http", rest, url=service.rerank, format=service.format)
    if preset := find_reranker(head):
        return RerankerSpec(preset.kind, preset.model)
    near = get_close_matches(head, [*OPTIONS, *(reranker_preset.name for reranker_preset in reranker_presets())], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise RerankerError(f"no reranker is called {head[:200]!r}{hint}; {ADVICE}")


def _judge(rest: str, model: str) -> RerankerSpec:
    scheme, _, name = rest.partition(":")
    service: Service | None = find_service(scheme)
    if service and service.chat and name and not model:
        return RerankerSpec("judge", name, url=service.chat)
    if not model:
        raise RerankerError("a judge needs a model: judge:openai:MODEL or judge:http://HOST/v1/chat/completions#MODEL")
    return RerankerSpec("judge", model, url=checked_address(rest, error=RerankerError))


def _hub(kind: str, text: str, base: Path) -> RerankerSpec:
    if text.startswith((".", "/", "~")):
        return RerankerSpec(kind, model_folder(text, base))
    name, _, revision = text.partition("@")
    preset: Preset | None = find_reranker(name)
    if preset is None and "/" not in name:
        raise RerankerError(f"{name!r} is no id of the hub: those are written OWNER/NAME")
    return RerankerSpec(kind, preset.model if preset else name, revision=revision)
