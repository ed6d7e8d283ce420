"""Cross-encoders: small ones in ONNX, and one with random weights through transformers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coderag.encoders.encoder import Array, Passage
from coderag.errors import RerankerError
from coderag.rerankers.opening import open_reranker
from coderag.rerankers.spec import parse_reranker
from tests.encoders.onnx_files import WORDS, write_tokenizer, write_words_model

pytest.importorskip("tokenizers")
RETRY = Passage("", "", "", "def retry the payment")
PARSE = Passage("", "", "", "def parse")
EMPTY = Passage("", "", "a.py", " ")


def table(classes: int = 1) -> Array:
    """Return a table in which "retry" speaks for the last class."""
    found = np.zeros((len(WORDS), classes), dtype=np.float32)
    found[WORDS.index("retry"), -1] = 2
    return found


def test_question_and_passage_are_read_together(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    reranker = open_reranker(parse_reranker(f"cross:{write_words_model(tmp_path / 'mini', table(), kind='logits')}"))
    assert reranker.name == "mini"
    assert reranker.scores("retry", [PARSE, RETRY, EMPTY]).tolist() == [2, 4, 2]
    assert reranker.scores("parse", [PARSE, RETRY]).tolist() == [0, 2]
    assert reranker.scores("parse", []).shape == (0,)
    assert reranker.scores("x " * 50_000, [RETRY, PARSE]).tolist() == [2, 0]
    assert len(reranker.scores("retry", [RETRY, PARSE] * 100)) == 200


def test_two_classes_are_no_and_yes(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    reranker = open_reranker(parse_reranker(f"cross:{write_words_model(tmp_path, table(2), kind='logits')}"))
    assert reranker.scores("parse", [PARSE, RETRY]).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("kind", "classes", "message"), [("logits", 3, "has 3 classes"), ("tokens", 1, "no classifier")]
)
def test_another_kind_of_model_is_refused(kind: str, classes: int, message: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    reranker = open_reranker(parse_reranker(f"cross:{write_words_model(tmp_path, table(classes), kind=kind)}"))
    with pytest.raises(RerankerError, match=message):
        reranker.scores("parse", [PARSE])


def test_scores_that_are_no_numbers_are_an_error(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    overflown = np.where(table() > 0, np.inf, 0).astype(np.float32)
    reranker = open_reranker(parse_reranker(f"cross:{write_words_model(tmp_path, overflown, kind='logits')}"))
    with pytest.raises(RerankerError, match="NaN or infinity"):
        reranker.scores("retry", [RETRY])
    with pytest.raises(RerankerError, match="reads 64 tokens at most, not 99"):
        open_reranker(parse_reranker(f"cross:{tmp_path}?max_tokens=99"))


def test_a_classifier_of_transformers(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    write_tokenizer(tmp_path)
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"), pad_token="[PAD]", model_max_length=48
    ).save_pretrained(tmp_path)
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, initializer_range=0.5, num_labels=1,
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    scores = open_reranker(parse_reranker(f"cross:{tmp_path}?device=cpu")).scores("retry", [PARSE, RETRY])
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for passage, score in zip([PARSE, RETRY], scores, strict=True):
        given = tokenizer("retry", passage.text, return_tensors="pt")
        with torch.inference_mode():
            assert np.isclose(model(**given).logits.item(), score, atol=1e-5)
    # The same weights without the classifier would score at random.
    transformers.BertModel(config).save_pretrained(tmp_path)
    with pytest.raises(RerankerError, match="its weights lack"):
        open_reranker(parse_reranker(f"cross:{tmp_path}?device=cpu"))
