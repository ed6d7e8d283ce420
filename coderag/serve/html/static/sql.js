"use strict";

{
  const text = document.getElementById("sql");
  const marks = document.getElementById("marks");
  const findings = document.getElementById("findings");
  const PAUSE = 250; // milliseconds after the last key
  let timer = 0;
  let request = null;

  const element = (tag, className, content) =>
    Object.assign(document.createElement(tag), { className, textContent: content });

  function underline(found) {
    const lines = text.value.split("\n");
    const pieces = [];
    lines.forEach((line, number) => {
      let end = 0;
      for (const one of found.filter((each) => each.line === number + 1).sort((a, b) => a.column - b.column)) {
        const [from, to] = [Math.max(one.column - 1, end), Math.max(one.end, one.column)];
        if (from >= to) continue;
        pieces.push(line.slice(end, from), element("mark", one.severity, line.slice(from, to)));
        end = to;
      }
      pieces.push(`${line.slice(end)}\n`);
    });
    marks.replaceChildren(...pieces);
    follow();
  }

  function fix(one, name) {
    const button = Object.assign(element("button", "act", name), { type: "button" });
    button.addEventListener("click", () => {
      const before = text.value.split("\n").slice(0, one.line - 1);
      const start = before.reduce((sum, line) => sum + line.length + 1, 0) + one.column - 1;
      const end = start + one.end - one.column + 1;
      // What stands before a dot is kept.
      text.setRangeText(text.value[start - 1] === "." ? name.split(".").pop() : name, start, end, "end");
      text.focus();
      text.dispatchEvent(new Event("input"));
    });
    return button;
  }

  function say(answer) {
    const rows = answer.findings.map((one) => {
      const row = element("p", `finding ${one.severity}`, "");
      row.append(element("span", "where", `${one.line}:${one.column}`), ` ${one.message}`);
      if (one.suggestions.length) row.append(element("span", "dir", " Did you mean "), ...one.suggestions.flatMap((name, at) => [at ? " or " : "", fix(one, name)]), "?");
      return row;
    });
    if (answer.error) rows.push(element("p", "finding error", answer.error));
    if (!rows.length) rows.push(element("p", text.value.trim() ? "finding fine" : "more-count", text.value.trim() ? "Nothing is wrong with it." : "Type a statement."));
    findings.replaceChildren(...rows);
  }

  async function check() {
    request?.abort();
    request = new AbortController();
    try {
      const answer = await fetch("/sql/check", {
        method: "POST",
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: text.value,
        signal: request.signal,
      });
      const found = await answer.json();
      underline(found.findings);
      say(found);
    } catch (error) {
      if (error.name !== "AbortError") say({ error: "The server does not answer.", findings: [] });
    }
  }

  function follow() {
    marks.scrollTop = text.scrollTop;
    marks.scrollLeft = text.scrollLeft;
  }

  text.addEventListener("scroll", follow, { passive: true });
  text.addEventListener("input", () => {
    underline([]);
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  });
  if (text.value) check();
}
