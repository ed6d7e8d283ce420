"use strict";

{
  const form = document.getElementById("ask");
  const answer = document.getElementById("answer");
  const beside = document.getElementById("beside");
  let asking = null;
  let opened = null;

  const element = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });

  // --- events of an answer, as they come

  async function* eventsOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
        if (fields.event) yield { name: fields.event, data: JSON.parse(fields.data) };
      }
    }
  }

  function problem(text) {
    const said = element("p", "problem", text);
    said.setAttribute("role", "alert");
    answer.replaceChildren(said);
  }

  // The questions of a tab are one conversation, so that "where is it called?" is understood; a new tab begins another.
  function conversation() {
    const name = sessionStorage.getItem("conversation") ?? `page-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    sessionStorage.setItem("conversation", name);
    return name;
  }

  async function ask(question) {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    close();
    answer.setAttribute("aria-busy", "true");
    const steps = element("ol", "steps");
    const draft = element("p", "draft");
    answer.replaceChildren(steps, draft);
    const query = new URLSearchParams({ q: question, part: "events", session: conversation() });
    try {
      const reply = await fetch(`/ask?${query}`, { signal, headers: { Accept: "text/event-stream" } });
      if (reply.status === 401) return location.reload();
      if (!reply.ok) return problem((await reply.json()).error);
      let ended = false;
      for await (const { name, data } of eventsOf(reply.body)) {
        if (name === "step") {
          const item = element("li", "");
          item.append(element("b", "", data.stage), ` ${data.said}`);
          steps.append(item);
        } else if (name === "draft") {
          draft.textContent += data.text;
        } else {
          ended = true;
          if (name === "answer") answer.innerHTML = data.html;
          else problem(data.error);
        }
      }
      if (!ended) problem("The answer broke off; ask again.");
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      problem("The server does not answer.");
    } finally {
      if (asking?.signal === signal) answer.setAttribute("aria-busy", "false");
    }
    return undefined;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = form.elements.q.value.trim();
    if (!question) return;
    history.pushState(null, "", `/ask?${new URLSearchParams({ q: question })}`);
    document.title = `${question} · coderag`;
    ask(question);
  });
  addEventListener("popstate", () => location.reload());
  if ("ask" in answer.dataset) ask(form.elements.q.value);

  // --- a source beside the answer

  function close() {
    beside.hidden = true;
    opened?.classList.remove("opened");
    opened?.focus();
    opened = null;
  }

  async function open(link) {
    const reply = await fetch(link.dataset.beside);
    if (!reply.ok) return location.assign(link.href);
    opened?.classList.remove("opened");
    opened = link;
    link.classList.add("opened");
    beside.innerHTML = await reply.text();
    beside.hidden = false;
    beside.scrollTop = 0;
    beside.scrollIntoView({ block: "nearest" });
    return undefined;
  }

  answer.addEventListener("click", (event) => {
    const link = event.target.closest("[data-beside]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link === opened) close();
    else open(link);
  });
  beside.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !beside.hidden) close();
  });
}
