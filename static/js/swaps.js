// After a swap: say what changed, and put the focus where the new part asks for it.

const announcer = document.getElementById("announce");

function announce(text) {
  announcer.textContent = "";
  requestAnimationFrame(() => (announcer.textContent = text));
}

function settled(event) {
  const part = event.detail.elt;
  const told = part.closest("[data-announce]") ?? part.querySelector("[data-announce]");
  if (told) announce(told.dataset.announce);
  const wanted = part.matches("[data-focus]") ? part : part.querySelector("[data-focus]");
  wanted?.focus({ preventScroll: true });
}

function failed(event) {
  const { status } = event.detail.xhr;
  announce(status ? "The server refused this. Reload the page and try again." : "The connection is lost. Try again.");
  event.detail.elt.closest("details")?.classList.add("has-failed");
}

document.addEventListener("htmx:afterSettle", settled);
document.addEventListener("htmx:responseError", failed);
document.addEventListener("htmx:sendError", failed);
