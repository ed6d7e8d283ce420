"""The page that has a browser send the token in the address that the server prints.

A browser keeps what stands behind "#" to itself, so a script of this page reads the token there.
"""

from __future__ import annotations

__all__ = ["PAGE", "SCRIPT"]

PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>coderag</title></head>
<body>
<main>
<h1>coderag</h1>
<p id="said">Open the address that <code>coderag serve</code> printed, or give its token.</p>
<form method="post" action="/api/login">
<label>Token <input name="token" type="password" autocomplete="off" required></label>
<button>Open</button>
</form>
</main>
<script src="/login.js"></script>
</body>
</html>
"""
SCRIPT = """\
"use strict";
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  fetch("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  }).then((answer) => {
    if (answer.ok) location.replace(location.pathname === "/login" ? "/" : location.href);
    else document.getElementById("said").textContent = "This token is not, or no longer, that of this server.";
  });
}
"""
