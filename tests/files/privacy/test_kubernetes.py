"""Kubernetes manifests of kind Secret: which values are covered, and what stays."""

from __future__ import annotations

import base64
import json
import textwrap

import pytest
import yaml

from coderag.files.privacy.secrets.masking import mask_secrets
from tests.files.privacy.tokens import made, pem

KIND = "Kubernetes secret"
PASSWORD, TOKEN, PIN = made("<w12>7"), made("<w20>8", 2), made("<w9>", 3)
CERTIFICATE, KEY = "\n".join(pem("CERTIFICATE")) + "\n", "\n".join(pem("PRIVATE KEY")) + "\n"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def masked(text: str) -> str:
    found = mask_secrets(text.encode(), path="secret.yaml")
    assert len(found.data) == len(text.encode())
    assert mask_secrets(found.data, path="secret.yaml").secrets == ()
    return found.data.decode()


def lines(text: str) -> list[int]:
    found = mask_secrets(text.encode(), path="secret.yaml").secrets
    assert {one.kind for one in found} == {KIND}
    return [one.line for one in found]


def covered(text: str, *values: str) -> str:
    """Return a text with asterisks for some values of it."""
    for value in values:
        assert value in text
        text = text.replace(value, "*" * len(value))
    return text


def test_values_lose_their_bytes_and_the_rest_stays() -> None:
    text = textwrap.dedent(f"""\
        apiVersion: v1
        kind: Secret
        metadata:
          name: shop
          annotations:
            checksum: {encoded("a" + TOKEN)}
        type: Opaque
        data:
          # of the shop
          password: {encoded(PASSWORD)}
          "quoted": "{encoded(TOKEN)}" # the new one
          single:   '{encoded(PIN)}'
          binary: !!binary {encoded("z9" + PASSWORD)}
        immutable: true
        """)
    values = (encoded(PASSWORD), encoded(TOKEN), encoded(PIN), encoded("z9" + PASSWORD))
    assert masked(text) == covered(text, *values)
    assert lines(text) == [10, 11, 12, 13]


def test_the_order_of_the_keys_does_not_matter() -> None:
    text = f"apiVersion: v1\ndata:\n  a: {encoded(PASSWORD)}\nkind: Secret\nstringData:\n  b: {TOKEN}\n"
    assert masked(text) == covered(text, encoded(PASSWORD), TOKEN)


def test_only_the_secrets_among_several_documents() -> None:
    value, other = encoded(PASSWORD), encoded(TOKEN)
    secret = f"apiVersion: v1\nkind: Secret\ndata:\n  a: {value}\n"
    others = [
        f"apiVersion: v1\nkind: {kind}\ndata:\n  a: {other}\n"
        for kind in ("ConfigMap", "SecretStore", "Secret-like", "'Secrets'")
    ]
    text = "---\n".join([others[0], secret, *others, secret])
    assert masked(text) == covered(text, value)


def test_items_of_a_list() -> None:
    value, other = encoded(PASSWORD), encoded(TOKEN)
    text = textwrap.dedent(f"""\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          data:
            a: {value}
          kind: Secret
        - apiVersion: v1
          kind: ConfigMap
          data:
            a: {other}
        - kind: Secret
          data: {{a: {value}, "b": "{value}"}}
        """)
    assert masked(text) == covered(text, value)
    assert lines(text) == [6, 13, 13]
    indented = textwrap.indent(text, "    ")
    assert masked(indented) == covered(indented, value)


def test_values_of_several_lines() -> None:
    wrapped = encoded(made("<w100>"))
    text = textwrap.dedent(f"""\
        kind: Secret
        data:
          wrapped: |
            {wrapped[:76]}
            {wrapped[76:]}
        stringData:
          shop.ini: |-
            # {TOKEN}

            pin = {PASSWORD}
            user = {{{{ .Values.user }}}}
          folded: "{PASSWORD}
            {TOKEN}"
          next: {TOKEN}
        """)
    values = (wrapped[:76], wrapped[76:], f"# {TOKEN}", PASSWORD, TOKEN)
    assert masked(text) == covered(text, *values)
    assert lines(text) == [4, 8, 12, 14]


@pytest.mark.parametrize(
    "value",
    [
        "{{ .Values.password | b64enc | quote }}",
        '"{{ .Values.password | b64enc }}"',
        "{{- randAlphaNum 32 | b64enc }}",
        "${PASSWORD}",
        "$(PASSWORD)",
        "'$(cat password | base64 --wrap=0)'",
        "<base64 of the password>",
        '"%[1]s"',
        '\'{{hub fromSecret "shop"\n      "password" | base64enc hub}}\'',
        "changeme",
        '""',
        "null",
        "",
        "*password",
    ],
)
@pytest.mark.parametrize("field", ["data", "stringData"])
def test_templates_and_placeholders_stay(field: str, value: str) -> None:
    text = f"kind: Secret\n{field}:\n  password: {value}\n"
    assert masked(text) == text


@pytest.mark.parametrize("value", ["changeme", "password", "admin", "<password>", "${PASSWORD}", "xxxxxxxx", "123456"])
def test_placeholders_in_base64_stay(value: str) -> None:
    text = f"kind: Secret\ndata:\n  password: {encoded(value)}\n"
    assert masked(text) == text


def test_what_anybody_may_know_stays() -> None:
    text = (
        "kind: Secret\nstringData:\n  tls: 'true'\n  port: '5432'\n  url: https://shop.example.com/a\n"
        f"data:\n  tls.crt: {encoded(CERTIFICATE)}\n"
    )
    assert masked(text) == text
    pair = encoded(CERTIFICATE + KEY)
    assert pair not in masked(f"kind: Secret\ndata:\n  pair.pem: {pair}\n")


def test_plain_values_that_are_words_stay_unless_their_name_says_secret() -> None:
    text = textwrap.dedent(f"""\
        kind: Secret
        stringData:
          type: git
          name: in-cluster2
          url: git@github.com:shop/charts
          host: db1.shop.local
          cache: redis://cache:6379
          user: shop-reader
          changed: 2019-03-20T17:54:53Z
          motto: bread and butter
          KEY_FILE: PUT_THE_KEY_HERE
          db-password: bread and butter
          webhookPath: breadandbutter
          pin: xkqjwvbnrtplz
          mail: amqp://shop:{PASSWORD}@mq:5672
          api-token: bread=butter
          options: user=shop password=bread
        """)
    assert lines(text) == [12, 13, 14, 15, 16, 17]
    assert masked(text) == covered(
        text.replace("db-password: bread and butter", "db-password: ****************"),
        *(
            "breadandbutter",
            "xkqjwvbnrtplz",
            f"amqp://shop:{PASSWORD}@mq:5672",
            "bread=butter",
            "user=shop password=bread",
        ),
    )


def test_each_line_of_a_file_of_settings_is_judged_by_its_name() -> None:
    text = textwrap.dedent(f"""\
        kind: Secret
        stringData:
          login.json: |
            {{
              "type": "service_account",
              "project_id": "my-shop",
              "private_key_id": "{PIN}",
              "private_key": "-----BEGIN PRIVATE KEY-----\\n...",
              "token_uri": "https://oauth2.shop.example.com/token", # of the shop, since 2019
              "pair": "reader", "password": "{TOKEN}",
              user = reader password = breadandbutter
              "client_secret": "bread-and-butter"
            }}
        """)
    assert masked(text) == covered(
        text, PIN, f'"pair": "reader", "password": "{TOKEN}",', "reader password = breadandbutter", "bread-and-butter"
    )


def test_pem_among_the_values_loses_its_body_alone() -> None:
    head, *body, end = pem("PRIVATE KEY")
    text = f"kind: Secret\nstringData:\n  key: |\n    {head}\n" + "".join(f"    {line}\n" for line in [*body, end])
    assert masked(text) == covered(text, *body)
    example = f"kind: Secret\nstringData:\n  key: |\n    {head}\n    ...\n    {end}\n"
    assert masked(example) == example


def test_a_file_is_covered_whatever_words_it_has() -> None:
    login = json.dumps({"auths": {"registry.example.com": {"username": "test", "password": PASSWORD}}})
    options = encoded("user=shop password=bread")
    text = f"kind: Secret\ndata:\n  a: {encoded(login)}\n  b: {options}\nstringData:\n  plain: '{login}'\n"
    assert masked(text) == covered(text, encoded(login), options, login)


def test_lines_of_a_template_do_not_end_a_manifest() -> None:
    text = textwrap.dedent(f"""\
        apiVersion: v1
        {{{{- if .Values.labels }}}}
        metadata:
        {{{{- end }}}}
        kind: Secret
        data:
        {{{{- if .Values.password }}}}
          password: {{{{ .Values.password | b64enc }}}}
        {{{{- else }}}}
          password: {encoded(PASSWORD)}
        {{{{- end }}}}
        """)
    assert masked(text) == covered(text, encoded(PASSWORD))


def test_manifests_in_documents_and_programs() -> None:
    manifest = f"apiVersion: v1\nkind: Secret\ndata:\n  a: {encoded(PASSWORD)}\n"
    other = f"data:\n  a: {encoded(TOKEN)}\n"
    for text in (
        f"Do this:\n\n```yaml\n{manifest}```\n\n{other}",
        f"kubectl apply -f - <<EOF\n{manifest}EOF\n{other}",
        f'MANIFEST = """\n{manifest}"""\n{other}',
        f"- name: make it\n  k8s:\n    definition:\n{textwrap.indent(manifest, '      ')}- {other}",
    ):
        assert masked(text) == covered(text, encoded(PASSWORD))


def test_references_are_no_manifests() -> None:
    text = f"spec:\n  valuesFrom:\n  - kind: Secret\n    name: shop\ndata:\n  a: {encoded(PASSWORD)}\n"
    assert masked(text) == text


MANIFESTS = {
    "kind": "List",
    "items": [
        {"apiVersion": "v1", "data": {"a": encoded(PASSWORD), "user": encoded("admin")}, "kind": "Secret"},
        {"apiVersion": "v1", "data": {"a": encoded(TOKEN)}, "kind": "ConfigMap"},
        {"kind": "Secret", "metadata": {"name": "b"}, "stringData": {"b": PASSWORD, "c": "{{ .Values.c }}"}},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_manifests_in_json(indent: int | None) -> None:
    text = json.dumps(MANIFESTS, indent=indent)
    assert masked(text) == covered(text, encoded(PASSWORD), PASSWORD)
    assert json.loads(masked(text))["items"][1] == MANIFESTS["items"][1]


@pytest.mark.slow
def test_a_manifest_at_the_end_of_a_long_line_of_json() -> None:
    secret = {"data": {"a": encoded(PASSWORD)}, "kind": "Secret"}
    others = [{"kind": "ConfigMap", "data": {"a": "of the shop " * 10}} for _ in range(3000)]
    for shift in range(0, 150, 30):
        text = json.dumps({"x" * shift: [*others, secret], "kind": "List"})
        assert masked(text) == covered(text, encoded(PASSWORD))


def test_manifests_in_strings() -> None:
    """As kubectl keeps what was applied last."""
    inner = json.dumps(MANIFESTS["items"][0])
    for text in (
        json.dumps({"kind": "Secret", "metadata": {"annotations": {"last": inner}}, "data": {"a": encoded(PASSWORD)}}),
        f"kind: Secret\nmetadata:\n  annotations:\n    last: |\n      {inner}\ndata:\n  a: {encoded(PASSWORD)}\n",
        f"manifest = {MANIFESTS['items'][0]}\n",
    ):
        assert masked(text) == covered(text, encoded(PASSWORD))


def test_what_a_program_puts_together_stays() -> None:
    text = 'x = {"kind": "Secret", "data": {"a": b64(key.encode("utf-8")).decode("ascii")}, "stringData": get("p4")}\n'
    assert masked(text) == text


def test_a_manifest_that_is_cut_off() -> None:
    text = f'{{"kind": "Secret", "data": {{"a": "{encoded(PASSWORD)}", "b": "{encoded(TOKEN)}'
    assert masked(text) == covered(text, encoded(PASSWORD), encoded(TOKEN))


def test_quoted_values_and_blocks_stay_yaml() -> None:
    text = f"kind: Secret\ndata:\n  a: \"{encoded(PASSWORD)}\"\n  b: '{encoded(TOKEN)}'\n  c: |\n    {encoded(TOKEN)}\n"
    before, after = (yaml.safe_load(one) for one in (text, masked(text)))
    assert {name: len(value) for name, value in before["data"].items()} == {
        name: len(value) for name, value in after["data"].items()
    }
