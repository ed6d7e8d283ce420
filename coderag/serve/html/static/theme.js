// Before the first paint, so that a page that is to be dark never flashes.
"use strict";
try {
  const theme = localStorage.getItem("coderag-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // a browser that keeps nothing shows what the system says
}
