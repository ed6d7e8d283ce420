"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const field = $("#q");
const typing = (element) => element && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

// --- light and dark

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("coderag-theme", root.dataset.theme);
  } catch {
    // it lasts as long as the page
  }
  document.dispatchEvent(new Event("theme"));
}
$("#theme").addEventListener("click", switchTheme);

// --- search as you type

const PAUSE = 180; // milliseconds after the last key
let timer = 0;
let request = null;
let settled = true; // the search in the address was looked at, so the next one does not take its place in the history

function addressOf(query) {
  return query ? `/?${new URLSearchParams({ q: query })}` : "/";
}

async function showResults(query, remembered = true) {
  const results = $("#results");
  request?.abort();
  request = new AbortController();
  results.setAttribute("aria-busy", "true");
  try {
    const address = addressOf(query);
    const answer = await fetch(`${address}${query ? "&" : "?"}part=results`, { signal: request.signal });
    if (answer.status === 401) return location.reload();
    results.innerHTML = await answer.text();
    if (remembered && location.pathname + location.search !== address) {
      history[settled ? "pushState" : "replaceState"](null, "", address);
      settled = false;
    }
    $("#said").textContent = $(".summary, .problem", results)?.textContent ?? "";
    document.title = query ? `${query} · coderag` : "coderag";
    scrollTo(0, 0);
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    results.innerHTML = '<p class="problem" role="alert">The server does not answer.</p>';
  }
  results.setAttribute("aria-busy", "false");
  return undefined;
}

field.addEventListener("input", () => {
  complete();
  if (!$("#results")) return;
  clearTimeout(timer);
  timer = setTimeout(() => showResults(field.value.trim()), PAUSE);
});
field.addEventListener("blur", () => { settled = true; });
if ($("#results")) {
  addEventListener("popstate", () => {
    if (location.pathname !== "/") return;
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    showResults(field.value, false);
  });
}
field.form.addEventListener("submit", (event) => {
  if (!$("#results")) return;
  event.preventDefault();
  clearTimeout(timer);
  closeCompletions();
  showResults(field.value.trim()).then(() => { settled = true; });
});

// --- completion of the query language

const list = $("#completions");
const ASKED_FOR = /^-?(sym|file):./; // fields whose values only the index knows
const offered = new Map();
let completions = null;
let choice = -1;

async function fetched(query) {
  const answer = await fetch(`/completions${query}`).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

async function loadCompletions() {
  completions = await fetched("");
  if (document.activeElement === field && word().text) complete();
}
field.addEventListener("focus", loadCompletions, { once: true });

function word() {
  const end = field.selectionStart ?? field.value.length;
  const start = field.value.slice(0, end).search(/\S*$/);
  return { start, end, text: field.value.slice(start, end) };
}

function suggestions(text) {
  if (!completions || !text) return [];
  const minus = text.startsWith("-") ? "-" : "";
  const plain = text.slice(minus.length).toLowerCase();
  const colon = plain.indexOf(":") + 1;
  if (colon) {
    const key = plain.slice(0, colon);
    const values = completions.values[key] ?? [];
    const begun = plain.slice(colon);
    return values
      .filter((value) => value.toLowerCase().startsWith(begun) && value.toLowerCase() !== begun)
      .map((value) => ({ insert: `${minus}${key}${/\s/.test(value) ? `"${value}"` : value} `, label: value, hint: "" }));
  }
  return Object.entries(completions.keys)
    .filter(([key]) => key.startsWith(plain))
    .map(([key, hint]) => ({ insert: minus + key, label: minus + key, hint }));
}

async function valuesOf(text) {
  if (!offered.has(text)) {
    await new Promise((done) => { setTimeout(done, PAUSE); });
    if (word().text !== text) return [];
    offered.set(text, (await fetched(`?${new URLSearchParams({ word: text })}`))?.values ?? []);
  }
  const key = text.slice(0, text.indexOf(":") + 1);
  return offered.get(text).filter((value) => key + value !== text).map((value) => ({ insert: `${key}${value} `, label: value, hint: "" }));
}

async function complete() {
  const { text } = word();
  offer(suggestions(text));
  if (!ASKED_FOR.test(text)) return;
  const found = await valuesOf(text);
  if (word().text === text && document.activeElement === field) offer(found);
}

function offer(all) {
  const found = all.slice(0, 9);
  choice = -1;
  list.replaceChildren(
    ...found.map((one, number) => {
      const item = document.createElement("li");
      item.id = `completion-${number}`;
      item.setAttribute("role", "option");
      item.dataset.insert = one.insert;
      item.append(Object.assign(document.createElement("code"), { textContent: one.label }), one.hint);
      return item;
    }),
  );
  list.hidden = !found.length;
  field.setAttribute("aria-expanded", String(found.length > 0));
  field.removeAttribute("aria-activedescendant");
}

function closeCompletions() {
  list.hidden = true;
  choice = -1;
  field.setAttribute("aria-expanded", "false");
}

function choose(number) {
  const items = $$("li", list);
  choice = (number + items.length) % items.length;
  items.forEach((item, at) => item.setAttribute("aria-selected", String(at === choice)));
  field.setAttribute("aria-activedescendant", items[choice].id);
}

function accept(item) {
  const { start, end } = word();
  field.setRangeText(item.dataset.insert, start, end, "end");
  field.focus();
  field.dispatchEvent(new Event("input"));
}
list.addEventListener("mousedown", (event) => {
  event.preventDefault();
  const item = event.target.closest("li");
  if (item) accept(item);
});
field.addEventListener("blur", closeCompletions);
field.addEventListener("keydown", (event) => {
  const items = list.hidden ? [] : $$("li", list);
  if (event.key === "Escape") {
    if (items.length) closeCompletions();
    else field.blur();
  } else if (items.length && event.key === "ArrowDown") {
    choose(choice + 1);
  } else if (items.length && event.key === "ArrowUp") {
    choose(choice - 1);
  } else if (items.length && (event.key === "Tab" || (event.key === "Enter" && choice >= 0))) {
    accept(items[Math.max(choice, 0)]);
  } else if (!items.length && event.key === "ArrowDown" && $(".hit")) {
    walk(1);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
});

$(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
if ($(".home") && matchMedia("(pointer: fine)").matches) field.focus();

// --- keys

function walk(step) {
  const hits = $$(".hit");
  if (!hits.length) return;
  const at = hits.indexOf(document.activeElement?.closest?.(".hit"));
  const next = at < 0 ? (step > 0 ? 0 : hits.length - 1) : at + step;
  if (next < 0) return field.focus();
  hits[Math.min(next, hits.length - 1)].focus();
  document.activeElement.scrollIntoView({ block: "nearest" });
}

function unfold(hit) {
  const button = $(".unfold", hit);
  if (button) button.click();
}

const GO = { s: "/", a: "/ask", f: "/files/", t: "/tables", q: "/sql", g: "/graph", m: "/map" };
let going = false;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || $("dialog[open]")) return;
  const hit = document.activeElement?.closest?.(".hit");
  if (going && GO[event.key]) {
    location.assign(GO[event.key]);
  } else if (event.key === "/") {
    field.focus();
    field.select();
  } else if (event.key === "?") {
    $("#keys").showModal();
  } else if (event.key === "d") {
    switchTheme();
  } else if (event.key === "c" && $("[data-switch]:not([aria-current])")) {
    location.assign($("[data-switch]:not([aria-current])").href);
  } else if ($(".hit") && (event.key === "ArrowDown" || event.key === "j")) {
    walk(1);
  } else if ($(".hit") && (event.key === "ArrowUp" || event.key === "k")) {
    walk(-1);
  } else if (hit && event.key === "Enter" && event.target === hit) {
    location.assign(hit.dataset.href);
  } else if (hit && event.key === "o") {
    unfold(hit);
  } else {
    going = event.key === "g";
    return;
  }
  going = false;
  event.preventDefault();
});
$("#help").addEventListener("click", () => $("#keys").showModal());

// --- clicks

document.addEventListener("click", async (event) => {
  const button = event.target.closest(".unfold, [data-copy], [data-part]");
  if (!button) return;
  if (button.matches(".unfold")) {
    const folded = button.previousElementSibling.classList.toggle("folded");
    button.dataset.label ??= button.textContent;
    button.textContent = folded ? button.dataset.label : "Fewer lines";
    button.setAttribute("aria-expanded", String(!folded));
  } else if (button.dataset.copy) {
    await navigator.clipboard?.writeText($(`#${button.dataset.copy}`).textContent);
    button.textContent = "Copied";
  } else {
    document.getElementById(button.dataset.part).open = true;
  }
});

// --- lines of a file: #L10 and #L10-L20, a second one with shift

function showLines() {
  $$(".l.chosen").forEach((line) => line.classList.remove("chosen"));
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
  if (!match || !$(".file-code")) return;
  const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])].sort((one, other) => one - other);
  for (let number = from; number <= to; number += 1) {
    document.getElementById(`L${number}`)?.classList.add("chosen");
  }
  document.getElementById(`L${from}`)?.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", showLines);
showLines();
$(".file-code")?.addEventListener("click", (event) => {
  const number = event.target.closest(".n")?.dataset.n;
  const first = /^#L(\d+)/.exec(location.hash)?.[1];
  if (!number || !event.shiftKey || !first) return;
  event.preventDefault();
  location.hash = `#L${Math.min(first, number)}-L${Math.max(first, number)}`;
});

// --- cards beside the pointer, and beside what has the focus

const card = $("#card");
const cards = new Map();
let hovered = null;
let hoverTimer = 0;

async function showCard(link) {
  const address = link.dataset.card;
  if (!address) return;
  if (!cards.has(address)) {
    const answer = await fetch(address);
    cards.set(address, answer.ok ? await answer.text() : "");
  }
  if (hovered !== link || !cards.get(address)) return;
  card.innerHTML = cards.get(address);
  card.hidden = false;
  const box = link.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - card.offsetWidth - 8));
  const below = box.bottom + card.offsetHeight + 12 < innerHeight || box.top < card.offsetHeight + 12;
  card.style.left = `${left}px`;
  card.style.top = `${below ? box.bottom + 6 : box.top - card.offsetHeight - 6}px`;
}

function hideCard() {
  clearTimeout(hoverTimer);
  hovered = null;
  card.hidden = true;
}
document.addEventListener("mouseover", (event) => {
  const link = event.target.closest("[data-card]");
  if (link === hovered || (event.target.closest("#card") && hovered)) return;
  hideCard();
  if (!link) return;
  hovered = link;
  hoverTimer = setTimeout(() => showCard(link), 220);
});
document.addEventListener("focusin", (event) => {
  hideCard();
  const link = event.target.closest("[data-card]");
  if (!link || !link.matches(":focus-visible")) return;
  hovered = link;
  showCard(link);
});
addEventListener("scroll", () => {
  if (!card.hidden) hideCard();
}, { passive: true });

// --- pictures that are dragged and zoomed

const READABLE = 0.72; // pixels of the screen for one of a picture, at first

// Where all of a picture would be too small to read, its first box and what is around it are shown, or its top.
function start(box, picture, all) {
  if (Math.min(box.clientWidth / all.width, box.clientHeight / all.height) >= READABLE) return { ...all };
  const [width, height] = [box.clientWidth / READABLE, box.clientHeight / READABLE];
  const first = (box.dataset.zoom === "first" && $("a", picture)?.getBBox()) || { x: 0, y: 0, width: 0, height: 0 };
  const centred = (middle, size, whole) => (size >= whole ? (whole - size) / 2 : Math.min(Math.max(middle - size / 2, 0), whole - size));
  return { x: centred(first.x + first.width / 2, width, all.width), y: centred(first.y + first.height / 2, height, all.height), width, height };
}

function zoomable(box) {
  const picture = $("svg", box);
  if (!picture) return;
  const whole = picture.viewBox.baseVal;
  const all = { x: 0, y: 0, width: whole.width, height: whole.height };
  let view = start(box, picture, all);
  picture.removeAttribute("width");
  picture.removeAttribute("height");
  const show = () => picture.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const zoom = (factor, x = 0.5, y = 0.5) => {
    if (!factor) view = { ...all };
    else {
      const by = 1 / Math.min(Math.max(factor, view.width / all.width / 2), (view.width / all.width) * 12);
      view.x += view.width * (1 - by) * x;
      view.y += view.height * (1 - by) * y;
      view.width *= by;
      view.height *= by;
    }
    show();
  };
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== box) return;
    event.preventDefault();
    const frame = picture.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 0.87, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height);
  }, { passive: false });
  show();
  let from = null;
  let moved = false;
  box.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, view: { ...view } };
    moved = false;
  });
  box.addEventListener("pointermove", (event) => {
    if (!from) return;
    const scale = Math.max(view.width / box.clientWidth, view.height / box.clientHeight);
    if (Math.abs(event.clientX - from.x) + Math.abs(event.clientY - from.y) > 4) moved = true;
    if (!moved) return;
    view.x = from.view.x - (event.clientX - from.x) * scale;
    view.y = from.view.y - (event.clientY - from.y) * scale;
    show();
  });
  addEventListener("pointerup", () => { from = null; });
  box.addEventListener("dragstart", (event) => event.preventDefault());
  box.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);
  box.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") zoom(0);
    else if (move) {
      view.x += (move[0] * view.width) / 10;
      view.y += (move[1] * view.height) / 10;
      show();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  $$("[data-zoom-by]").forEach((button) => button.addEventListener("click", () => zoom(Number(button.dataset.zoomBy))));
}
$$("[data-zoom]").forEach(zoomable);
