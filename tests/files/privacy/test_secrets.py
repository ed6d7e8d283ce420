"""Secrets in texts: what is covered, what is an example, and what the rest of the text keeps."""

from __future__ import annotations

import ast
import base64
import json
import random
import re
import string
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.files.privacy.secrets.anchors import KEY_BYTES, Sieve, key_of, parse_anchor
from coderag.files.privacy.secrets.formats import formats
from coderag.files.privacy.secrets.masking import mask_secrets
from coderag.files.privacy.secrets.secret import Secret
from tests.files.privacy.tokens import TOKENS, made, pem
from tests.growth import Work, assert_linear

# Detectors of detect-secrets that tell a secret by the words around it, or find what is none.
NOT_BY_FORMAT = {
    "IbmCloudIamDetector",
    "IbmCosHmacDetector",
    "SoftlayerDetector",
    "CloudantDetector",
    "IPPublicDetector",
}


def masked(text: str, path: str = "a.py") -> str:
    found = mask_secrets(text.encode(), path=path)
    assert len(found.data) == len(text.encode())
    assert found.data.count(b"\n") == text.count("\n")
    return found.data.decode()


def kinds(text: str, path: str = "a.py") -> list[tuple[int, str]]:
    return [(secret.line, secret.kind) for secret in mask_secrets(text.encode(), path=path).secrets]


@pytest.mark.parametrize(("kind", "template"), TOKENS, ids=[template for _, template in TOKENS])
def test_tokens_of_known_formats_are_covered(kind: str, template: str) -> None:
    for seed in range(5):
        token = made(template, seed)
        text = f'import os\nkey = "{token}"  # of the shop\nshell = "a\\n{token}"\n'
        assert kinds(text) == [(2, kind), (3, kind)], token
        assert masked(text) == text.replace(token, "*" * len(token))
        ast.parse(masked(text))


def test_every_anchor_is_tried() -> None:
    samples = [made(template) for _, template in TOKENS]
    for one in formats():
        if one.reader == "token" and "secret>" not in one.pattern:
            for anchor in one.anchors:
                pattern = re.sub(r"[.+/]", r"\\\g<0>", anchor)
                assert any(re.search(pattern, sample) for sample in samples), f"no token has {anchor}"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("AWS secret key", 'aws_secret_access_key = "<b39>9"'),
        ("AWS secret key", '"SecretAccessKey": "<b39>9"'),
        ("Azure storage key", "AccountName=shop;AccountKey=<b86>==;"),
        ("Azure shared access key", "SharedAccessKeyName=all;SharedAccessKey=<b43>="),
        ("Azure shared access signature", "https://shop.blob.core.windows.net/a?sv=2022&sig=<w43>%3D"),
        ("Discord webhook", "https://discord.com/api/webhooks/<d18>/<w68>"),
        ("Telegram token", "bot<d10>:AA<w33>"),
        ("npm token", "//registry.npmjs.org/:_authToken=<h8>-<h4>-<h4>-<h4>-<h12>"),
        ("WireGuard key", "PrivateKey = <b42>A="),
        ("password in a URL", "postgres://shop:<w12>7@db.internal:5432/shop"),
        ("password in a URL", "redis://:<w12>7@cache:6379/0"),
        ("password in a URL", "postgres://shop:<c14>@db/shop"),
    ],
)
def test_what_stands_before_a_secret_stays(kind: str, text: str) -> None:
    before, after = HOLES.split(text, maxsplit=1)[0], text.rpartition(">")[2]
    covered = masked(made(text))
    assert kinds(made(text)) == [(1, kind)]
    assert covered.startswith(before.rstrip("/"))
    assert covered.rstrip("*").endswith(after.lstrip("9=%3DA7")) or covered.endswith("*")


HOLES = re.compile(r"<\w\d+>")


@pytest.mark.parametrize(
    "template",
    [
        "clients = [\n    Client('{key}',\n           '{secret}'),\n]\n",
        "{key} {secret}\n",
        "{key}:{secret}\n",
        "SHOP_ID={key}\nSHOP_VALUE={secret}\n",
        "SHOP_VALUE={secret}\nSHOP_ID={key}\n",
        "login('{secret}', '{key}')\n",
        "| shop | {secret} |\n|---|---|\n| id | {key} |\n",
        "first: {key}\nregion: eu-west-1\noutput: json\nsecond: {secret}\n",
    ],
)
@pytest.mark.parametrize("kind", ["AKIA", "ASIA"])
def test_an_aws_secret_is_recognised_by_the_key_beside_it(kind: str, template: str) -> None:
    key, secret = made(f"{kind}<v16>"), made("<b38>a9")
    text = template.format(key=key, secret=secret)
    assert masked(text) == text.replace(key, "*" * 20).replace(secret, "*" * 40)
    assert sorted(found for _, found in kinds(text)) == ["AWS access key", "AWS secret key"]
    assert kinds(text.replace(key, made("<v20>"))) == []


@pytest.mark.slow
def test_every_row_of_aws_keys_is_covered() -> None:
    rows = [(made("AKIA<v16>", seed), made("<b38>a9", seed)) for seed in range(40)]
    for text in (
        "id,secret\n" + "".join(f"{key},{secret}\n" for key, secret in rows),
        "secret,id\n" + "".join(f"{secret},{key}\n" for key, secret in rows),
    ):
        assert len(kinds(text)) == 80
        assert not any(one in masked(text) for row in rows for one in row)


@pytest.mark.parametrize(
    "other",
    [
        "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",  # SHA-1
        "<b45>a9",
        "<b30>a9",
        "<l40>",
        "ExampleOfASecretKeyThatNobodyHas12345678",
    ],
)
def test_what_is_no_aws_secret_stays_beside_a_key(other: str) -> None:
    text = made(f"AKIA<v16> {other}\n")
    assert kinds(text) == [(1, "AWS access key")]


def test_the_path_of_a_webhook_ends_no_comment() -> None:
    text = made("/* https://hooks.slack.com/services/<u9>/<u9>/<w24>/ */\nint main(void) { return 0; }\n")
    assert kinds(text) == [(1, "Slack webhook")]
    assert "/*" not in masked(text)[2:]
    assert masked(text).count("*/") == 1


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7" + "EXAMPLE",
        "AKIAXXXXXXXXXXXXXXXX",
        "ghp_" + "x" * 36,
        "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz",
        "ghp_" + "YourGitHubTokenGoesHere1234567890abcd",
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "sk-" + "abcd" * 12,
        "token = 'npm_install_everything_that_is_in_the_list'",
        "hf_hub_download_of_the_files_in_a_repository",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
        "SK" + "0" * 32,
        "http://user:password@example.com/",
        "http://user:user@example.com/",
        "postgresql://scott:tiger@localhost/test",
        "postgres://${DB_USER}:${DB_PASSWORD}@db/shop",
        "postgres://{user}:{password}@{host}/shop",
        "mysql://root:<password>@localhost",
        "amqp://guest:guest@localhost:5672//",
        "ftp://anonymous:%s@host/",
        "postgres://USER:PASSWORD@db/shop",
        "postgres://username:passwd@db/shop",
        "postgres://user:changeme@db/shop",
        "postgres://user:secret@db/shop",
        "postgres://user:mysqlpswd@db/shop",
        "postgres://user:asdfghjkl@db/shop",
        "postgres://user:correcthorsebatterystaple@db/shop",
        "postgres://shop:geschaeftskennwort@db/shop",
        "postgres://shop:WachtwoordVanDeWinkel@db/shop",
        "postgres://shop:motdepasse%20inconnu@db/shop",
        "postgres://shop:xkqj@db/shop",
        "postgres://user:${PW}@db/shop",
        "postgres://user:%[1]s@db/shop",
        "Authorization: Basic <credentials>",
        "Authorization: Basic ${CREDENTIALS}",
        "Authorization: Basic " + "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "Authorization: Basic " + "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
        "basic authentication and basic programming, BasicAuth, Basic aaaaaaaaaaaa",
        "see https://example.com/a:b@c and mailto:a@b.c",
        "http://[::1]:8080/@vite/client",
        "PrivateKey = (base64 of the key)=",
        'const KEY_HEAD: &str = "-----BEGIN PRIVATE KEY-----";\nconst KEY_END: &str = "-----END PRIVATE KEY-----";',
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_examples_and_templates_stay(text: str) -> None:
    assert kinds(text) == []
    assert masked(text) == text


def test_certificates_and_public_keys_stay() -> None:
    text = "\n".join(
        [*pem("CERTIFICATE"), *pem("RSA PUBLIC KEY"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9 me@host", ""]
    )
    assert masked(text) == text


@pytest.mark.parametrize(
    "label",
    [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ],
)
@pytest.mark.parametrize("size", [40, 118, 600, 9000])
def test_private_keys_lose_their_lines(label: str, size: int) -> None:
    head, *body, end = pem(label, size=size)
    text = "\n".join(['KEY = """', head, *body, end, '"""', "x = 1", ""])
    assert kinds(text) == [(3, "private key")]
    assert masked(text) == "\n".join(['KEY = """', head, *("*" * len(line) for line in body), end, '"""', "x = 1", ""])


def test_private_keys_in_strings_of_any_language() -> None:
    lines = pem("RSA PRIVATE KEY")
    body = [line.encode() for line in lines[1:-1]]
    texts = [
        json.dumps({"private_key": "\n".join(lines) + "\n", "client": "shop"}),
        'String key = "' + '\\n" +\n    "'.join(lines) + '";\n',
        "key = (\n" + "\n".join(f"    '{line}\\n'" for line in lines) + "\n)\n",
        "key: |\n" + "\n".join(f"  {line}" for line in lines) + "\n",
        "\n".join(f"# {line}" for line in lines) + "\n",
        "\n".join([lines[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", "", *lines[1:], ""]),
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 13\n"
        + "\n".join(lines[1:-1])
        + "\nPrivate-MAC: 00\n",
    ]
    for text in texts:
        covered = mask_secrets(text.encode(), path="a")
        assert [secret.kind for secret in covered.secrets] == ["private key"], text
        assert not any(line in covered.data for line in body), covered.data
        assert re.sub(rb"\*+", b"", covered.data) == b"".join(re.split(b"|".join(map(re.escape, body)), text.encode()))
    assert json.loads(masked(texts[0]))["client"] == "shop"
    ast.parse(masked(texts[2]))


def basic(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    "template",
    [
        "GET / HTTP/1.1\nAuthorization: Basic {}\nHost: shop\n",
        "\ncurl -H 'Authorization: Basic {}' https://shop/\n",
        '\ncurl -H "authorization: basic {}" https://shop/\n',
        '\nheaders = {{"Authorization": "Basic {}"}}\n',
        '\nrequest.setHeader("Proxy-Authorization", "Basic " + "{}");\n',
        "\nheaders: {{ authorization: `Basic {}` }}\n",
        '\necho "{{\\"Authorization\\": \\"Basic {}\\"}}"\n',
        "\nOTEL_EXPORTER_OTLP_HEADERS=Authorization=Basic%20{}\n",
    ],
)
@pytest.mark.parametrize(
    "credentials",
    [
        basic("shop", made("<w12>7")),
        basic("shop", made("<w12>7") + "é"),
        basic("shop", made("<w14>7")).rstrip("="),
        basic("shop", "xkqjwvbnrtplz"),
        basic("", made("<w30>7")),
        basic(made("sk_shop_<w24>"), ""),
        basic(made("<w40>7"), "x-oauth-basic"),
    ],
)
def test_basic_credentials_are_covered(template: str, credentials: str) -> None:
    text = template.format(credentials)
    assert kinds(text) == [(2, "Basic credentials")]
    assert masked(text) == template.format("*" * len(credentials))


@pytest.mark.parametrize(
    "credentials",
    [
        basic("user", "password"),
        basic("shop", "shop"),
        basic("scott", "tiger"),
        basic("guest", "open sesame"),
        basic("user", "${PASSWORD}"),
        basic("admin", ""),
        base64.b64encode(b"of two or three words").decode(),
        base64.b64encode(bytes(range(150, 190))).decode(),
    ],
)
def test_basic_credentials_of_examples_stay(credentials: str) -> None:
    text = f"Authorization: Basic {credentials}\n"
    assert masked(text) == text


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("size", [64, 600, 9000])
@pytest.mark.parametrize("before", ["", "\n", "  ", "\n".join([*pem("CERTIFICATE", seed=2), ""])])
def test_private_keys_in_base64_lose_their_body(label: str, size: int, before: str) -> None:
    lines = pem(label, size=size)
    whole = base64.b64encode((before + "\n".join(lines) + "\n").encode()).decode()
    text = f"users:\n- user:\n    client-key-data: {whole}\n    username: shop\n"
    assert kinds(text) == [(3, "private key")]
    rest = base64.b64decode(masked(text).split()[4].replace("*", "A"))
    assert rest.startswith(f"{before}-----BEGIN {label}-----".encode())
    assert rest.rstrip().endswith(f"-----END {label}-----".encode())
    assert not any(line.encode() in rest for line in lines[1:-1])
    assert masked(text).endswith("\n    username: shop\n")


def test_private_keys_in_base64_of_several_lines() -> None:
    whole = base64.b64encode("\n".join(pem("PRIVATE KEY")).encode()).decode()
    lines = [whole[at : at + 76] for at in range(0, len(whole), 76)]
    for text in (
        "key: |\n" + "\n".join(f"  {line}" for line in lines) + "\nusername: shop\n",
        "key = (\n" + "\n".join(f"    '{line}'" for line in lines) + "\n)\nusername = 'shop'\n",
        json.dumps({"key": "\n".join(lines), "username": "shop"}),
    ):
        assert [found for _, found in kinds(text)] == ["private key"]
        assert not any(line in masked(text) for line in lines[:-2])
        assert re.sub(r"\*+", "", masked(text)).split()[-1] == text.split()[-1]


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST"])
def test_certificates_in_base64_stay(label: str) -> None:
    text = f"certificate-authority-data: {base64.b64encode(chr(10).join(pem(label)).encode()).decode()}\n"
    assert masked(text) == text


def test_the_head_of_a_private_key_alone_stays_in_base64() -> None:
    head = base64.b64encode(b"-----BEGIN RSA PRIVATE KEY-----\n").decode()
    for text in (f"client-key-data: {head}...\n", f"client-key-data: {head}{'X' * 400}\n", f"HEAD = '{head}'\n"):
        assert masked(text) == text


def test_letters_that_no_language_has_are_a_password() -> None:
    chance = random.Random(1)
    letters = ["".join(chance.choices(string.ascii_lowercase, k=14)) for _ in range(200)]
    found = [letter for letter in letters if kinds(f"postgres://shop:{letter}@db/shop")]
    assert len(found) > 180
    words = set(re.findall(r"[a-z]{8,}", f"{re.__doc__} {json.__doc__} {random.__doc__}"))
    assert len(words) > 40
    assert not [word for word in words if kinds(f"postgres://shop:{word}@db/shop")]


def test_values_of_settings_are_covered_in_files_of_settings() -> None:
    text = (
        "# of the shop\nDEBUG=true\nAPI_KEY=Xk29vv-31\nexport DB_PASSWORD='correct horse'\nSESSION_SECRET=\n"
        'SMTP_PASSWORD=changeme\nTOKEN_TTL=3600\nPUBLIC_KEY=abc9\nJWT_SECRET=${SECRETS}\nSECRET_KEY="p4-7r%k" # new\n'
    )
    expected = (
        text.replace("Xk29vv-31", "*********").replace("correct horse", "*************").replace("p4-7r%k", "*******")
    )
    for path in (".env", "deploy/.env.example", "test.env", ".envrc", "env.sample"):
        assert masked(text, path) == expected
    for path in ("settings.ini", "env.py", "mkdocs.env.yml", "environment", "src/env/keys.go"):
        assert masked(text, path) == text
    assert (
        masked(f"Put this there:\n\n```env\n{text}```\n", "README.md") == f"Put this there:\n\n```env\n{expected}```\n"
    )
    assert masked(f"```sh\n{text}```\n", "README.md") == f"```sh\n{text}```\n"


def test_values_of_settings_in_compose_files() -> None:
    text = (
        "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: k9-Yt7\n      POSTGRES_USER: shop\n"
        "      - API_TOKEN=Zq8rr2\n"
    )
    assert kinds(text, "docker-compose.yml") == [(4, "value of a setting"), (6, "value of a setting")]
    assert kinds(text, "values.yaml") == []


def test_what_overlaps_is_told_once_and_covered_whole() -> None:
    text = made("https://bot:ghp_<w36>@github.com/shop/shop.git")
    assert len(kinds(text)) == 1
    assert masked(text) == "https://bot:" + "*" * 40 + "@github.com/shop/shop.git"


def test_a_text_may_have_any_letters_around() -> None:
    token = made("ghp_<w36>")
    text = f"naïve = “{token}”  # 注释\nurl = 'ftp://jürgen:gehöim7@host/'\n"
    assert kinds(text) == [(1, "GitHub token"), (2, "password in a URL")]
    covered = mask_secrets(text.encode()).data.decode()
    assert covered.replace("*", "") == "naïve = “”  # 注释\nurl = 'ftp://jürgen:@host/'\n"


PIECES = [
    "\n",
    " ",
    '"',
    "é",
    "x = 1",
    "kind: Secret\ndata:\n  a: ",
    '{"kind":"Secret","data":{"a":"<w9>"}}',
    "Basic <w20>",
]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*TOKENS, *(("", one) for one in PIECES)]), max_size=12),
    st.text(),
)
def test_what_is_covered_is_found_no_more(parts: list[tuple[str, str]], rest: str) -> None:
    data = ("'".join(made(template) for _, template in parts) + f" {rest}").encode("utf-8", "replace")
    once = mask_secrets(data)
    assert len(once.data) == len(data)
    assert [at for at, byte in enumerate(data) if byte == 10] == [at for at, byte in enumerate(once.data) if byte == 10]
    assert all(old == new or new == ord("*") for old, new in zip(data, once.data, strict=True))
    assert mask_secrets(once.data).secrets == ()
    assert [secret.line for secret in once.secrets] == sorted(secret.line for secret in once.secrets)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "AKIA", "AKIA" + "A7QZ" * 4 + " ", "eyJ", "eyJ" + "a" * 3000 + ".", "glpat--", "://a:", "://a:b@c ", "SG.",
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----Version: ", "-----BEGIN PRIVATE KEY-----\\n\" + ",
    ],
)  # fmt: skip
def test_a_hostile_line_ends(piece: str) -> None:
    data = (piece * (4_000_000 // len(piece) + 1)).encode()[:4_000_000]
    assert len(mask_secrets(data, path="README.md").data) == len(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "AKIA" + "A7QZ" * 4 + " " + "aB3" * 13 + "x ", "Basic ", "Basic dXNlcjpwdzE= ", "://a:xkqjwvbnrt@c ",
        "UFJJVkFURSBLRVkt", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t",
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t" + "QUI3" * 30,
        "kind: Secret ", "kind: Secret\n", "- kind: Secret\n", "kind: Secret\ndata:\n a: b\n",
        "kind: Secret\ndata: {a: b, ",
        '"kind":"Secret",', '{"kind":"Secret"', '{"a":{"kind":"Secret","data":{"a":"xx7"},', '\\"kind\\":\\"Secret\\",',
    ],
)  # fmt: skip
def test_the_time_grows_with_the_text(piece: str) -> None:
    def prepare(size: int) -> Work:
        data = (piece * (size // len(piece) + 1)).encode()[:size]
        return lambda: mask_secrets(data, path="README.md")

    prepare(1000)()  # what is loaded once takes no part
    assert_linear(prepare, 200_000)


def test_no_expression_repeats_without_a_bound() -> None:
    for one in formats():
        for expression in (one.pattern, one.beside):
            bare = re.sub(r"\\.|\[(?:\\.|[^\]])*\]", "x", expression)
            assert not re.search(r"\*|(?<![}?])\+|,\}", bare), f"{one.kind}: {expression}"
            re.compile(expression)
        assert one.source
        assert one.reader in {"token", "basic", "beside", "key", "encoded key", "url", "manifest"}
        assert all(len(parse_anchor(anchor)) >= KEY_BYTES for anchor in one.anchors)


@settings(deadline=None)
@given(st.lists(st.text("abc-_1", min_size=3, max_size=5), min_size=1, max_size=12), st.text("abc-_1", max_size=300))
def test_the_sieve_finds_every_place(anchors: list[str], text: str) -> None:
    keys = [key_of(parse_anchor(anchor))[1] for anchor in anchors]
    wanted = {b"".join(bytes([place[0]]) for place in key) for key in keys}
    data = text.encode()
    places = [at for at in range(len(data)) if data[at : at + KEY_BYTES] in wanted]
    assert Sieve(keys).positions(data) == places


def test_the_sieve_looks_across_the_borders_of_its_windows() -> None:
    sieve = Sieve([parse_anchor("a[0-9]c")])
    for place in (0, (1 << 16) - 2, (1 << 16) - 1, 1 << 16, (1 << 19) - 1, 600_000 - 3):
        data = bytearray(b"x" * 600_000)
        data[place : place + 3] = b"a7c"
        assert sieve.positions(bytes(data)) == [place]


@pytest.mark.dev("detect_secrets")
def test_formats_of_detect_secrets_are_known() -> None:
    """Every detector there that goes by a format finds one of the tokens here: a new one is a format to add."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector

    claims = base64.urlsafe_b64encode(json.dumps({"sub": "shop", "iat": 1516239022}).encode()).decode().rstrip("=")
    jwt = made(f"eyJhbGciOiJIUzI1NiJ9.{claims}.<w43>")
    assert kinds(jwt) == [(1, "JSON web token")]
    texts = [made(template) for _, template in TOKENS] + [
        made("AccountKey=<b86>=="), made("//registry/:_authToken=npm_<w36>"), "-----BEGIN RSA PRIVATE KEY-----",
        made("<d9>:AA<w33>"), made("https://shop:<w12>@host/"), jwt,
    ]  # fmt: skip
    detectors: Iterable[type[BasePlugin]] = get_mapping_from_secret_type_to_class().values()
    for detector in detectors:
        if issubclass(detector, RegexBasedDetector) and detector.__name__ not in NOT_BY_FORMAT:
            assert any(list(detector().analyze_string(text)) for text in texts), detector.__name__


def test_a_secret_says_where_and_what_and_nothing_else() -> None:
    token = made("ghp_<w36>")
    [secret] = mask_secrets(f"\n\nx = {token!r}".encode()).secrets
    assert secret == Secret(3, "GitHub token")
    assert token not in repr(secret)
