// The token of the address, or a typed one, becomes a cookie that scripts cannot read.
"use strict";
const message = document.getElementById("message");

async function open(token) {
  const answer = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    history.replaceState(null, "", location.pathname + location.search);
    location.reload();
  } else {
    message.textContent = "This token is not the one of the server. Its address is printed by `coderag serve`.";
    document.getElementById("token").focus();
  }
}

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) open(given);
document.getElementById("login").addEventListener("submit", (event) => {
  event.preventDefault();
  open(document.getElementById("token").value.trim());
});
