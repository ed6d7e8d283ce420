"use strict";

{
  const box = document.getElementById("graph");
  const picked = document.getElementById("picked");
  const data = JSON.parse(box.dataset.graph);
  const COLUMN = 260; // pixels between two layers
  const ROW = 54;
  const NARROW = box.clientWidth < 600; // there layers go down, two nodes beside each other
  const MAX_COLUMN = NARROW ? 2 : 14; // nodes of a layer in one column
  const MAX_FRESH = 16; // nodes that one step brings in: those that matter most, so that a hub does not fill the picture
  const MAX_WORDS = 10; // edges whose words are shown
  const probe = box.appendChild(document.createElement("span"));
  const colour = (name) => {
    probe.style.color = `var(${name})`; // as the theme of the moment has it
    return getComputedStyle(probe).color;
  };
  const cut = (text) => (text.length > 30 ? `${text.slice(0, 29)}…` : text);

  function node(one, position) {
    return { group: "nodes", data: { ...one, short: cut(one.label) }, position, classes: `${one.group}${one.asked ? " asked" : ""}` };
  }

  function edge(one) {
    return { group: "edges", data: { ...one, id: `${one.source}→${one.target}` }, classes: `${one.group} ${one.certainty.replace(" ", "-")}` };
  }

  function places(nodes) {
    const layers = new Map();
    nodes.forEach((one) => layers.set(one.layer, [...(layers.get(one.layer) ?? []), one]));
    const found = new Map();
    let x = 0;
    for (const layer of [...layers.keys()].sort((a, b) => a - b)) {
      const all = layers.get(layer);
      const columns = Math.ceil(all.length / MAX_COLUMN);
      const each = Math.ceil(all.length / columns);
      all.forEach((one, at) => {
        const column = Math.floor(at / each);
        const along = (at % each) - (Math.min(each, all.length - column * each) - 1) / 2;
        found.set(one.id, NARROW ? { x: along * COLUMN, y: x + column * ROW } : { x: x + column * COLUMN, y: along * ROW });
      });
      x += NARROW ? columns * ROW + ROW : columns * COLUMN;
    }
    return found;
  }

  function style() {
    const [text, muted, line, surface] = ["--text", "--muted", "--faint", "--surface"].map(colour);
    const group = (name) => ({ "border-color": colour(`--g-${name}`), "background-color": colour(`--g-${name}-soft`) });
    return [
      { selector: "node", style: { shape: "round-rectangle", label: "data(short)", width: (one) => one.data("short").length * 7.2 + 20, height: 30, "border-width": 1.5, color: text, "font-size": 12, "font-family": "ui-monospace, Menlo, Consolas, monospace", "text-valign": "center", "text-halign": "center", ...group("code") } },
      ...["type", "data", "route", "test"].map((name) => ({ selector: `node.${name}`, style: group(name) })),
      { selector: "node.test", style: { "border-style": "dashed" } },
      { selector: "node.asked", style: { "border-width": 3, "font-weight": "bold" } },
      { selector: "edge", style: { width: 1.3, "curve-style": "bezier", "line-color": line, "target-arrow-color": line, "target-arrow-shape": "triangle", "arrow-scale": 0.8, "line-opacity": 0.7, "font-size": 10, color: muted, "text-background-color": surface, "text-background-opacity": 0.9, "text-background-padding": 2, "text-rotation": "autorotate" } },
      ...[["calls", "code"], ["reads", "data"], ["writes", "route"], ["ties", "type"]].map(([name, hue]) => ({ selector: `edge.${name}`, style: { "line-color": colour(`--g-${hue}`), "target-arrow-color": colour(`--g-${hue}`) } })),
      { selector: "edge.unique-name", style: { "line-style": "dashed", "line-dash-pattern": [7, 3] } },
      { selector: "edge.candidate", style: { "line-style": "dashed", "line-dash-pattern": [2, 4] } },
      { selector: ".lit", style: { "line-color": colour("--accent"), "target-arrow-color": colour("--accent"), "z-index": 8 } },
      { selector: ".near", style: { label: "data(label)", "line-color": colour("--accent"), "target-arrow-color": colour("--accent"), "z-index": 9 } },
      { selector: "node:selected", style: { "border-width": 3, "border-color": colour("--accent") } },
      { selector: ".far", style: { opacity: 0.25 } },
    ];
  }

  const at = places(data.nodes);
  const cy = cytoscape({
    container: box,
    elements: [...data.nodes.map((one) => node(one, at.get(one.id))), ...data.edges.map(edge)],
    layout: { name: "preset" },
    style: style(),
    minZoom: 0.15,
    maxZoom: 2.5,
    boxSelectionEnabled: false,
  });
  const fit = () => {
    cy.fit(undefined, 30);
    if (cy.zoom() > 1.2) cy.zoom({ level: 1.2, renderedPosition: { x: box.clientWidth / 2, y: box.clientHeight / 2 } });
    if (cy.zoom() > 1.19) cy.center();
  };
  fit();
  if (cy.nodes().length <= 8) cy.edges().addClass("near");
  box.dataset.ready = "1";
  box.dataset.nodes = cy.nodes().length;
  window.coderagGraph = cy;

  const target = ({ of, repository }) => new URLSearchParams(repository ? { of, repo: repository } : { of });

  function link(text, href) {
    return Object.assign(document.createElement("a"), { textContent: text, href, className: "act" });
  }

  // The words of many edges would lie on each other.
  function light(one) {
    const edges = one.connectedEdges();
    edges.addClass(edges.length > MAX_WORDS ? "lit" : "near");
  }

  function show(one, left = 0) {
    const about = one.data();
    const title = Object.assign(document.createElement("b"), { textContent: about.label });
    const where = Object.assign(document.createElement("span"), { className: "where", textContent: `${about.kind} ${about.where}` });
    const more = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Expand" });
    more.addEventListener("click", () => expand(one));
    const of = target(about);
    picked.replaceChildren(title, where, link("open", about.href), link("graph", `/graph?${of}`), link("impact", `/graph?${of}&show=impact`), more);
    if (left) picked.append(Object.assign(document.createElement("span"), { className: "where", textContent: `${left} more around it; "graph" shows them` }));
    picked.hidden = false;
    cy.elements().addClass("far").removeClass("near lit");
    one.closedNeighborhood().removeClass("far");
    light(one);
  }

  async function expand(one) {
    const answer = await fetch(`/graph?${target(one.data())}&part=data`);
    if (!answer.ok) return;
    const found = await answer.json();
    const all = found.nodes.filter((each) => cy.getElementById(each.id).empty());
    const fresh = all.slice(0, MAX_FRESH);
    const { x, y } = one.position();
    const sides = { "-1": fresh.filter((each) => each.layer < 0), 1: fresh.filter((each) => each.layer >= 0) };
    for (const [side, nodes] of Object.entries(sides)) {
      nodes.forEach((each, number) => {
        const column = Math.floor(number / MAX_COLUMN);
        const rows = Math.min(MAX_COLUMN, nodes.length - column * MAX_COLUMN);
        cy.add(node({ ...each, asked: false }, free(x + Number(side) * COLUMN * (column + 1), y + ((number % MAX_COLUMN) - (rows - 1) / 2) * ROW)));
      });
    }
    const known = (each) => cy.getElementById(each.source).nonempty() && cy.getElementById(each.target).nonempty();
    found.edges.filter((each) => known(each) && cy.getElementById(`${each.source}→${each.target}`).empty()).forEach((each) => cy.add(edge(each)));
    box.dataset.nodes = cy.nodes().length;
    show(one, all.length - fresh.length + found.left_out);
    cy.animate({ fit: { padding: 30 }, duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250 });
  }

  function free(x, y) {
    const taken = (height) => cy.nodes().some((each) => Math.abs(each.position("x") - x) < COLUMN * 0.7 && Math.abs(each.position("y") - height) < ROW * 0.7);
    let height = y;
    for (let step = 1; taken(height) && step < 60; step += 1) height = y + (step % 2 ? 1 : -1) * Math.ceil(step / 2) * ROW;
    return { x, y: height };
  }

  cy.on("tap", "node", (event) => show(event.target));
  cy.on("dbltap", "node", (event) => expand(event.target));
  cy.on("tap", (event) => {
    if (event.target !== cy) return;
    cy.elements().removeClass("far");
    cy.edges().removeClass(cy.nodes().length > 8 ? "near lit" : "lit");
    picked.hidden = true;
  });
  cy.on("mouseover", "node", (event) => light(event.target));
  cy.on("mouseout", "node", (event) => {
    if (picked.hidden && cy.nodes().length > 8) event.target.connectedEdges().removeClass("near lit");
  });
  document.querySelectorAll("[data-graph-zoom]").forEach((button) =>
    button.addEventListener("click", () => {
      const by = Number(button.dataset.graphZoom);
      if (by) cy.zoom({ level: cy.zoom() * by, renderedPosition: { x: box.clientWidth / 2, y: box.clientHeight / 2 } });
      else fit();
    }),
  );
  document.addEventListener("theme", () => cy.style(style()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cy.style(style()));
}
