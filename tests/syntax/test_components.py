"""Scripts of components, in the rows and columns that they have in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.graph.queries.lookup import find_nodes
from coderag.graph.records import EdgeKind
from coderag.syntax.components import script_text
from tests.graph.whole import graph_of
from tests.workspace import write

VUE = """<template>
  <button :title="label" @click="saveIt(3)" @done="send()">save {{ formatDate(x) }} and finish</button>
</template>
<script setup lang="ts">
import { formatDate, postThing, useForm } from "./util"
const { send } = useForm()
const label = "x"
function saveIt(n: number) { postThing(n) }
const finish = () => { saveIt(1) }
</script>
<style>.a { color: red }</style>
"""
SVELTE = """<script lang="ts">
  import { formatDate } from './util';
  function run() { formatDate(1) }
</script>
<button on:click={run}>{formatDate(2)}</button>
"""
UTIL = "export function formatDate(x: number) { return x }\nexport function postThing(x: number) { return x }\n"
UTIL += "export function useForm() { function send() {}\n return { send } }\n"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("<p>é</p>\n<script>\nlet a\n</script>\n", "         \n        \nlet a\n         \n"),
        ('<script type="application/json">{}</script>', ""),
        ("<script>let a", ""),
        ("<p>no script</p>", ""),
    ],
)
def test_all_but_the_scripts_is_blank(text: str, script: str) -> None:
    found = script_text(text.encode()).decode()
    assert found == script
    assert not found or len(found) == len(text.encode())


def test_scripts_and_markup_mention_what_other_files_define(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, {"src/A.vue": VUE, "src/S.svelte": SVELTE, "src/util.ts": UTIL}))

    def users(name: str) -> set[tuple[str, int]]:
        [node] = find_nodes(graph, name)
        edges = graph.edges_to(node.number, (EdgeKind.CALLS, EdgeKind.REFERENCES))
        return {(graph.node(edge.source).name, edge.line) for edge in edges}

    assert users("formatDate") == {("A.vue", 2), ("run", 3), ("S.svelte", 5)}
    assert users("postThing") == {("saveIt", 8)}
    assert users("saveIt") == {("A.vue", 2), ("finish", 9)}
    assert users("send") == {("A.vue", 2), ("useForm", 4)}  # which it is returned by
    assert users("finish") == set()  # a word of the text
    assert users("run") == {("S.svelte", 5)}
