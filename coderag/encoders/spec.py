"""Which encoder is meant: a line or a table of settings to a record, and the record to an encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coderag.encoders.named import checked_address, checked_options, holds_onnx, model_folder, named_line, split_line
from coderag.encoders.presets import Preset, encoder_presets, find_encoder, find_service
from coderag.encoders.trust import check_model, is_trusted
from coderag.errors import EncoderError, SettingsError

if TYPE_CHECKING:
    from coderag.encoders.encoder import Encoder, EncoderIdentity

__all__ = [
    "SHIPPED",
    "WORDS_ONLY",
    "EncoderSpec",
    "encoder_of_settings",
    "open_encoder",
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
    url: str = ""  # of an endpoint
    revision: str = ""
    pooling: str | None = None  # None, here and below: as the preset or the model's own folder says
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int = 0  # 0: all of them; less cuts the vectors, which Matryoshka models are trained for
    max_tokens: int = 0
    dtype: str = ""
    device: str = ""
    preset: str = ""  # whose pooling and prefixes to take
    timeout: int = 0  # seconds
    trust_remote_code: bool = False
    trusted: bool = field(default=False, compare=False, repr=False)  # named by the user, not by a file of a repository

    def vouches_for(self, other: EncoderSpec) -> bool:
        """Tell whether a user who named this encoder trusts another too: from the same place, with no more rights."""
        same = (self.kind, self.model, self.url) == (other.kind, other.model, other.url)
        return self.trusted and same and self.trust_remote_code >= other.trust_remote_code

    def as_dict(self) -> dict[str, Any]:
        """Return what differs from the defaults as plain values, for a manifest."""
        defaults = EncoderSpec(self.kind)
        return {
            name: value
            for name, value in asdict(self).items()
            if name != "trusted" and (name == "kind" or value != getattr(defaults, name))
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], *, trusted: bool = False) -> EncoderSpec:
        """Return what `as_dict` gave; raises EncoderError for what another version wrote.

        `trusted` says whether the user named the encoder when it was written down.
        """
        known = {one.name for one in fields(cls)} - {"trusted"}
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
        told = {name: value for name, value in self.as_dict().items() if name in OPTIONS[self.kind]}
        return named_line(self._head(), told)

    def _head(self) -> str:
        if self.kind == "http":
            return f"{self.url}#{self.model}" if self.model else self.url
        return f"{PREFIXES[self.kind]}{self.model}"


PREFIXES = {"static": "static", "none": "none", "transformers": "hf:", "onnx": "onnx:"}
SHIPPED = EncoderSpec("static")
WORDS_ONLY = EncoderSpec("none")


def parse_encoder(text: str, *, base: Path | None = None) -> EncoderSpec:
    """Return the encoder that a user's line means; folders are relative to `base`, else to the current one.

    `static`, `none`, `bge-small` (a preset), `hf:ID@REVISION`, `hf:FOLDER`, `onnx:FOLDER`, `openai:MODEL` (or another
    service), `http://HOST/v1/embeddings#MODEL`; options follow as `?pooling=cls&dimensions=256`, after the model.
    Raises EncoderError for anything else.
    """
    head, model, options = split_line(text, ALL_OPTIONS)
    spec = _place(head, model, base or Path())
    checked = checked_options(options, OPTIONS[spec.kind], where=f"encoder {_shown(head)}", error=EncoderError)
    return _checked(replace(spec, trusted=True, **checked))


def encoder_of_settings(table: Mapping[str, object], *, base: Path) -> EncoderSpec:
    """Return the encoder of a table `[encoder]`: `model` is a line as in `parse_encoder`, options are keys beside it.

    What needs the user's trust (an endpoint, a model that is not well-known, code of a model) is refused when it is
    opened. Raises SettingsError, and EncoderError for a wrong line.
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
    """Return a spec whose unsaid prefixes are those of its preset, and the preset; None for none."""
    preset = find_encoder(spec.preset or spec.model)
    if preset is None:
        return spec, None
    return replace(
        spec,
        query_prefix=preset.query_prefix if spec.query_prefix is None else spec.query_prefix,
        passage_prefix=preset.passage_prefix if spec.passage_prefix is None else spec.passage_prefix,
    ), preset


def pinned(spec: EncoderSpec, identity: EncoderIdentity) -> EncoderSpec:
    """Return a spec that opens the same encoder later: with the revision and the width that were found."""
    if spec.kind == "transformers" and not Path(spec.model).is_dir():
        return replace(spec, revision=spec.revision or identity.revision)
    if spec.kind == "http":
        return replace(spec, dimensions=identity.dimensions)  # saves asking the endpoint for its width
    return spec


def open_encoder(spec: EncoderSpec) -> Encoder:
    """Return the encoder of a spec; nothing is loaded of a library that it does not need.

    Raises EncoderError for `none`, and for a model that is missing, damaged, not trusted, or needs an extra.
    """
    if spec.kind == "static":
        from coderag.encoders.static import shipped_encoder

        return shipped_encoder()
    # The name of a preset is an id of the hub, and to onnxruntime a folder below the current one.
    if spec.kind == "onnx" or (spec.kind == "transformers" and not find_encoder(spec.model)):
        check_model(spec.model, trusted=spec.trusted, error=EncoderError)
    full, preset = with_preset(spec)
    if spec.kind == "transformers":
        from coderag.encoders.transformers_encoder import transformers_encoder

        return transformers_encoder(full, preset=preset)
    if spec.kind == "onnx":
        from coderag.encoders.onnx_encoder import onnx_encoder

        return onnx_encoder(full, preset=preset)
    if spec.kind == "http":
        from coderag.encoders.http_encoder import http_encoder

        return http_encoder(full, preset=preset)
    raise EncoderError("the encoder 'none' makes no vectors: an index with it answers by words alone")


def _place(head: str, model: str, base: Path) -> EncoderSpec:
    """Return the spec of what stands before the options."""
    if head in {"static", "none"} and not model:
        return EncoderSpec(head)
    if "://" in head:
        return EncoderSpec("http", model, url=checked_address(head, error=EncoderError))
    scheme, colon, rest = head.partition(":")
    if model:
        raise EncoderError(f'encoder {_shown(head)}: only an address is followed by "#"; {ADVICE}')
    if colon and rest and (service := find_service(scheme)) and service.embeddings:
        return EncoderSpec("http", rest, url=service.embeddings)
    if colon and rest and scheme == "onnx":
        return EncoderSpec("onnx", model_folder(rest, base))
    if colon and rest and scheme == "hf":
        return _hub(rest, base)
    if preset := find_encoder(head):
        return EncoderSpec("transformers", preset.model)
    if head.startswith((".", "/", "~")) or (head and (base / head).is_dir()):
        folder = model_folder(head, base)
        return EncoderSpec("onnx" if holds_onnx(Path(folder)) else "transformers", folder)
    if head.count("/") == 1:
        return _hub(head, base)
    from difflib import get_close_matches  # only an error needs it

    near = get_close_matches(head, [*OPTIONS, *(encoder_preset.name for encoder_preset in encoder_presets())], n=1)
    raise EncoderError(f"no encoder is called {_shown(head)}{f'; did you mean {near[0]!r}?' if near else ''}; {ADVICE}")


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
    """Return what may be shown of a line: an address without its query, which may hold what is nobody's business."""
    return repr(text.partition("?")[0].rpartition("@")[2] if "://" in text else text[:200])
