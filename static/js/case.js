// Reading a trajectory: a permalink opens and focuses its step, j and k go from step to step, o opens, copy copies.

const steps = () => [...document.querySelectorAll(".step")];

function reveal(step) {
  for (let fold = step.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  document.querySelector(".step.is-current")?.classList.remove("is-current");
  step.classList.add("is-current");
  step.tabIndex = -1;
  step.focus({ preventScroll: true });
  step.scrollIntoView({ block: "start" });
}

function followHash() {
  const step = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (step?.matches(".step")) reveal(step);
}

function currentStep() {
  return document.activeElement?.closest(".step") ?? document.querySelector(".step.is-current");
}

function move(by) {
  const all = steps();
  const at = all.indexOf(currentStep());
  const next = at < 0 ? all[0] : all[at + by];
  if (next) reveal(next);
}

function openOrClose() {
  const folds = [...(currentStep()?.querySelectorAll("details") ?? [])];
  const fold = folds.find((one) => one.matches(".seen details, pre + details")) ?? folds[0];
  if (fold) fold.open = !fold.open;
}

const KEYS = { j: () => move(1), k: () => move(-1), o: openOrClose };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (link) link.click();
  else KEYS[event.key]?.();
  if (link || KEYS[event.key]) event.preventDefault();
}

async function copy(button) {
  const answer = await fetch(button.dataset.copy);
  const text = await answer.text();
  await navigator.clipboard.writeText(text);
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), 2000);
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button).catch(() => (button.textContent = "not copied: open raw instead"));
  const own = event.target.closest(".step > .n");
  if (own && own.hash === location.hash) followHash();
});
addEventListener("hashchange", followHash);
followHash();
