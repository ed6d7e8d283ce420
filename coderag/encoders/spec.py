"""Configuration of an encoder: a line or a settings table to an `EncoderSpec`, which `opening` opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coderag.encoders.named import checked_address, checked_options, holds_onnx, model_folder, named_line, split_line
from coderag.encoders.presets import Preset, encoder_presets, find_encoder, find_service
from coderag.encoders.trust import is_trusted
from coderag.errors import EncoderError, SettingsError

if TYPE_CHECKING:
    from coderag.encoders.encoder import EncoderIdentity

__all__ = [
    "SHIPPED",
    "WORDS_ONLY",
    "EncoderSpec",
    "encoder_of_settings",
    "parse_encoder",
    "pinned",
    "with_preset",
]

SHARED = frozenset({"query_prefix", "passage_prefix", "dimensions", "max_tokens", "preset"})
OPTIONS: Mapping[str, frozenset[str]] = {
    "static": frozenset(),
    "none": frozenset(),
    "transformers": SHARED | {"revision", "pooling", "dtype", "device", "trust_remote_code"},
    "onnx": SHARED | {"pooling", "dtype"},
    "http": SHARED | {"timeout"},
}
ALL_OPTIONS = frozenset().union(*OPTIONS.values())
ADVICE = (
    'name one as "static", "none", a short name such as "bge-small", hf:ID, a folder, onnx:FOLDER or http://HOST/PATH'
)


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """How to open an encoder; `str` gives the line that `parse_encoder` reads, without any key or password."""

    kind: str  # static, none, transformers, onnx or http
    model: str = ""  # a hub id, a folder, or what an endpoint calls its model
    url: str = ""  # the endpoint's address
    revision: str = ""
    pooling: str | None = None  # None, here and below: the value of the preset or of the model's own folder
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0  # 0: all; a smaller number truncates the vectors, as Matryoshka models are trained for
    max_tokens: int = 0
    dtype: str = ""
    device: str = ""
    preset: str = ""  # the preset whose pooling and prefixes apply
    timeout: int = 0  # seconds
    trust_remote_code: bool = False
    trusted: bool = field(default=False, compare=False, repr=False)  # chosen by the user, not by a file in a repository

    def vouches_for(self, other: EncoderSpec) -> bool:
        """Return whether trust extends to `other`: the same model from the same place, with no more rights."""
        same = (self.kind, self.model, self.url) == (other.kind, other.model, other.url)
        return self.trusted and same and self.trust_remote_code >= other.trust_remote_code

    def as_dict(self) -> dict[str, Any]:
        """Return the options that differ from the defaults as plain values, for a manifest."""
        defaults = EncoderSpec(self.kind)
        return {
            name: value
            for name, value in asdict(self).items()
            if name != "trusted" and (name == "kind" or value != getattr(defaults, name))
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], *, trusted: bool = False) -> EncoderSpec:
        """Return the spec that `as_dict` wrote; raises EncoderError for one that another version wrote.

        `trusted` is whether the user had chosen the encoder when the manifest was written.
        """
        known = {option.name for option in fields(cls)} - {"trusted"}
        kind, text = table.get("kind"), "the encoder that the index names"
        if unknown := sorted(table.keys() - known):
            raise EncoderError(f"{text} has an option {unknown[0]!r} that this version of coderag does not know")
        if not isinstance(kind, str) or kind not in OPTIONS:
            raise EncoderError(f"{text} is of kind {kind!r}, which this version of coderag does not know")
        names = {name: value for name, value in table.items() if name in ALL_OPTIONS}
        options = checked_options(names, OPTIONS[kind], where=text, error=EncoderError)
        url = checked_address(str(table.get("url", "")), error=EncoderError) if kind == "http" else ""
        return cls(kind, str(table.get("model", "")), url, trusted=trusted, **options)

    def __str__(self) -> str:
        options = {name: value for name, value in self.as_dict().items() if name in OPTIONS[self.kind]}
        return named_line(self._head(), options)

    def _head(self) -> str:
        if self.kind == "http":
            return f"{self.url}#{self.model}" if self.model else self.url
        return f"{PREFIXES[self.kind]}{self.model}"


PREFIXES = {"static": "static", "none": "none", "transformers": "hf:", "onnx": "onnx:"}
SHIPPED = EncoderSpec("static")
WORDS_ONLY = EncoderSpec("none")


def parse_encoder(text: str, *, base: Path | None = None) -> EncoderSpec:
    """Parse the line in which a user names an encoder; folders are relative to `base`, else to the current one.

    `static`, `none`, `bge-small` (a preset), `hf:ID@REVISION`, `hf:FOLDER`, `onnx:FOLDER`, `openai:MODEL` (or another
    service), `http://HOST/v1/embeddings#MODEL`; options follow as `?pooling=cls&dimensions=256`, after the model.
    Raises EncoderError for anything else.
    """
    head, model, options = split_line(text, ALL_OPTIONS)
    spec = _head_spec(head, model, base or Path())
    checked = checked_options(options, OPTIONS[spec.kind], where=f"encoder {_shown(head)}", error=EncoderError)
    return _checked(replace(spec, trusted=True, **checked))


def encoder_of_settings(table: Mapping[str, object], *, base: Path) -> EncoderSpec:
    """Read the settings table `[encoder]`: `model` is a line as in `parse_encoder`, the other keys are its options.

    An encoder that needs the user's trust (an endpoint, a model that is not well known, remote code) is refused when
    it is opened. Raises SettingsError, and EncoderError for an invalid line.
    """
    line = table.get("model")
    if not isinstance(line, str) or not line.strip():
        raise SettingsError("[encoder]: 'model' must be a text that names the encoder")
    spec = parse_encoder(line, base=base)
    options = {name: value for name, value in table.items() if name != "model"}
    checked = checked_options(options, OPTIONS[spec.kind], where="[encoder]", error=SettingsError)
    if (spec.revision or "revision" in checked) and not is_trusted(spec.model):
        raise SettingsError(
            f"[encoder]: a revision of {spec.model} may hold anything; name it on the command line, or set "
            f"CODERAG_TRUST={spec.model}"
        )
    return _checked(replace(spec, trusted=False, **checked))


def with_preset(spec: EncoderSpec) -> tuple[EncoderSpec, Preset | None]:
    """Return the spec with missing prefixes filled in from its preset, and the preset, None without one."""
    preset = find_encoder(spec.preset or spec.model)
    if preset is None:
        return spec, None
    return replace(
        spec,
        query_prefix=preset.query_prefix if spec.query_prefix is None else spec.query_prefix,
        passage_prefix=preset.passage_prefix if spec.passage_prefix is None else spec.passage_prefix,
    ), preset


def pinned(spec: EncoderSpec, identity: EncoderIdentity) -> EncoderSpec:
    """Return a spec that opens the same encoder later: with the revision and the dimensions of this one."""
    if spec.kind == "transformers" and not Path(spec.model).is_dir():
        return replace(spec, revision=spec.revision or identity.revision)
    if spec.kind == "http":
        return replace(spec, dimensions=identity.dimensions)  # saves a request for the dimensions
    return spec


def _head_spec(head: str, model: str, base: Path) -> EncoderSpec:
    """Return the spec of the part of a line before the options.

    "bge-small" -> EncoderSpec("transformers", "BAAI/bge-small-en-v1.5")
    "onnx:/models/e5" -> EncoderSpec("onnx", "/models/e5")
    """
    if head in {"static", "none"} and not model:
        return EncoderSpec(head)
    if "://" in head:
        return EncoderSpec("http", model, url=checked_address(head, error=EncoderError))
    if model:
        raise EncoderError(f'encoder {_shown(head)}: only an address is followed by "#"; {ADVICE}')
    spec = _of_scheme(head, base) or _of_name(head, base)
    if spec is None:
        raise EncoderError(_unknown(head))
    return spec


def _of_scheme(head: str, base: Path) -> EncoderSpec | None:
    """Read `SCHEME:REST`: a service, `onnx:FOLDER` or `hf:MODEL`."""
    scheme, _, rest = head.partition(":")
    if not rest:
        return None
    if (service := find_service(scheme)) and service.embeddings:
        return EncoderSpec("http", rest, url=service.embeddings)
    if scheme == "onnx":
        return EncoderSpec("onnx", model_folder(rest, base))
    return _hub(rest, base) if scheme == "hf" else None


def _of_name(head: str, base: Path) -> EncoderSpec | None:
    """Read the name of a preset, a folder or a hub id."""
    if preset := find_encoder(head):
        return EncoderSpec("transformers", preset.model)
    if head.startswith((".", "/", "~")) or (head and (base / head).is_dir()):
        folder = model_folder(head, base)
        return EncoderSpec("onnx" if holds_onnx(Path(folder)) else "transformers", folder)
    return _hub(head, base) if head.count("/") == 1 else None


def _unknown(head: str) -> str:
    from difflib import get_close_matches  # only an error needs it

    near = get_close_matches(head, [*OPTIONS, *(encoder_preset.name for encoder_preset in encoder_presets())], n=1)
    return f"no encoder is called {_shown(head)}{f'; did you mean {near[0]!r}?' if near else ''}; {ADVICE}"


def _hub(text: str, base: Path) -> EncoderSpec:
    if text.startswith((".", "/", "~")):
        return EncoderSpec("transformers", model_folder(text, base))
    name, _, revision = text.partition("@")
    preset = find_encoder(name)
    if preset is None and "/" not in name:
        raise EncoderError(f"{_shown(name)} is no id of the hub: those are written OWNER/NAME")
    return EncoderSpec("transformers", preset.model if preset else name, revision=revision)


def _checked(spec: EncoderSpec) -> EncoderSpec:
    if spec.preset and find_encoder(spec.preset) is None:
        raise EncoderError(f"no preset is called {spec.preset!r}; there are {_names()}")
    return spec


def _names() -> str:
    return ", ".join(encoder_preset.name for encoder_preset in encoder_presets())


def _shown(text: str) -> str:
    """Return the part of a line that an error may show: an address without credentials and query."""
    return repr(text.partition("?")[0].rpartition("@")[2] if "://" in text else text[:200])
