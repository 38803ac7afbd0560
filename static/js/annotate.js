// The labelling page: keys, drafts, active time, the next item fetched ahead. Without it every form still works.
// One module, because the page's budget is four requests.

const SAVE_AFTER = 400;
const RETRY_AFTER = 5_000;
const LONGEST_PAUSE = 60_000;
const KEPT = "rite-draft:";
const TITLES = { result: "Result", noticed: "Noticed" };
const TROUBLE = {
  403: "Your sign-in has changed. Reload the page; your answers are kept in this browser.",
  404: "This item is no longer yours to label.",
};

const byId = (id) => document.getElementById(id);
const blindForm = () => byId("blind");
const place = () => byId("item").dataset;
const draftKey = () => `${KEPT}${place().account}:${place().id}`;
const keptHere = () => JSON.parse(localStorage.getItem(draftKey()) ?? "null");

let seconds = 0;
let awake = true;
let lastSign = 0;
let question = "";
let ahead = null;
let saving = null;
let saveTimer = 0;

// Active time is what passes while the page is visible and focused; a pause of more than a minute is dropped.
function sign() {
  const now = performance.now();
  if (awake && now - lastSign <= LONGEST_PAUSE) seconds += (now - lastSign) / 1000;
  lastSign = now;
}

function wake() {
  sign();
  awake = document.visibilityState === "visible" && document.hasFocus();
}

function filled(form) {
  sign();
  const data = new FormData(form);
  data.set("seconds", seconds.toFixed(1));
  return data;
}

function answersOf(form) {
  return [...new FormData(form)].filter(([name]) => !["csrfmiddlewaretoken", "seconds", "version"].includes(name));
}

function post(url, data, keepalive = false) {
  return fetch(url, { method: "POST", body: data, keepalive, headers: { "HX-Request": "true" } });
}

function word(text) {
  byId("draft-word").textContent = text;
}

function announce(text) {
  byId("announce").textContent = text;
}

function say(text) {
  const note = byId("stage-note");
  if (note) note.textContent = text;
}

function keepHere(form, unsent) {
  const kept = { unsent, version: form.elements.version.value, answers: answersOf(form) };
  localStorage.setItem(draftKey(), JSON.stringify(kept));
}

// A draft is in the browser at once and on the server soon after; one request at a time, so that versions follow.
function saveSoon() {
  keepHere(blindForm(), true);
  word("saving…");
  clearTimeout(saveTimer);
  saveTimer = setTimeout(save, SAVE_AFTER);
}

async function save() {
  await saving;
  const form = blindForm();
  if (!form) return;
  const { id, draftUrl } = place();
  const sent = JSON.stringify(answersOf(form));
  saving = post(draftUrl, filled(form)).then((response) => drafted(response, id, sent), offline);
}

async function drafted(response, id, sent) {
  const answer = await response.text();
  const form = blindForm();
  if (place().id !== id || !form) return;
  if (answer.includes('id="draft-word"')) htmx.swap("#draft-word", answer, { swapStyle: "outerHTML" });
  else word("not saved; kept in this browser");
  if (response.status === 401) htmx.swap("#stage-note", answer, { swapStyle: "outerHTML" });
  else if (TROUBLE[response.status]) say(TROUBLE[response.status]);
  if (response.ok) form.elements.version.value = byId("draft-word").dataset.version;
  keepHere(form, !response.ok || JSON.stringify(answersOf(form)) !== sent);
}

function offline() {
  if (!blindForm()) return;
  word("offline: kept in this browser");
  saveTimer = setTimeout(save, RETRY_AFTER);
}

function restore() {
  const form = blindForm();
  const kept = keptHere();
  if (!form) localStorage.removeItem(draftKey());
  if (!form || !kept?.unsent) return;
  const answers = new Map(kept.answers);
  for (const field of form.elements) {
    if (field.type === "radio") field.checked = answers.get(field.name) === field.value;
    else if (field.name.endsWith("_evidence")) field.value = answers.get(field.name) ?? "";
  }
  form.elements.version.value = kept.version;
  saveSoon();
}

// After another tab has saved other answers: "mine" overwrites them, "theirs" takes them.
function settle(whose) {
  if (whose === "theirs") {
    localStorage.removeItem(draftKey());
    location.reload();
  } else {
    blindForm().elements.version.value = byId("draft-word").dataset.version;
    saveSoon();
  }
}

function leave() {
  const form = blindForm();
  if (!form) return;
  if (keptHere()?.unsent) post(place().draftUrl, filled(form), true).catch(() => {});
  else navigator.sendBeacon(place().shownUrl, filled(form));
}

function forgetDraft() {
  localStorage.removeItem(draftKey());
  word("locked");
}

function forgetOwn() {
  const own = `${KEPT}${place().account}:`;
  for (const key of Object.keys(localStorage)) if (key.startsWith(own)) localStorage.removeItem(key);
}

function evidenceField(name) {
  return blindForm()?.elements[`${name}_evidence`];
}

function marked(field) {
  return field.value.toUpperCase().split(/[\s,;]+/).filter(Boolean);
}

function showMarks() {
  const titles = {};
  for (const name of Object.keys(TITLES)) {
    const field = evidenceField(name);
    for (const number of field ? marked(field) : []) titles[number] = [...(titles[number] ?? []), TITLES[name]];
  }
  for (const step of document.querySelectorAll("#item .step")) {
    if (titles[step.id]) step.dataset.evidence = `evidence: ${titles[step.id].join(", ")}`;
    else delete step.dataset.evidence;
  }
}

function mark(name) {
  const step = document.querySelector(".step.is-current");
  const field = evidenceField(name);
  if (!field) return;
  if (!step || step.id === "answer") return word("go to a step first: j, k");
  const numbers = marked(field);
  const isNew = !numbers.includes(step.id);
  field.value = (isNew ? [...numbers, step.id] : numbers.filter((number) => number !== step.id)).join(", ");
  question = name;
  announce(`${step.id} ${isNew ? "is" : "is no longer"} evidence for ${TITLES[name]}.`);
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

function stand(step) {
  const before = document.querySelector(".step.is-current");
  if (before === step) return;
  before?.classList.remove("is-current");
  step.classList.add("is-current");
  const buttons = byId("mark");
  buttons.hidden = !blindForm() || step.id === "answer";
  step.lastElementChild.append(buttons);
}

function move(by) {
  const steps = [...document.querySelectorAll("#item .step")];
  const at = steps.indexOf(document.querySelector(".step.is-current"));
  const step = steps[at < 0 ? 0 : at + by];
  if (!step) return;
  stand(step);
  step.tabIndex = -1;
  step.focus({ preventScroll: true });
  step.scrollIntoView({ block: "nearest" });
}

function openOrClose() {
  const folded = document.querySelector(".step.is-current details");
  if (folded) folded.open = !folded.open;
}

const KEYS = { j: () => move(1), k: () => move(-1), e: () => mark(question), o: openOrClose };

function isTyping(element) {
  return element.matches("textarea, select, [contenteditable], input:not([type=radio])");
}

function onKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    document.querySelector("#stage form")?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || byId("keys").open) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!button && !KEYS[event.key]) return;
  event.preventDefault();
  if (button) button.click();
  else KEYS[event.key]();
}

function openKeys() {
  const template = document.querySelector("#keys template");
  template?.replaceWith(template.content);
  byId("keys").showModal();
}

function fetchItem(url, more = {}) {
  const headers = { "HX-Request": "true", "HX-Target": "item", ...more };
  return fetch(url, { headers }).then((answer) => (answer.status === 200 ? answer.text() : ""), () => "");
}

// The next item is fetched once somebody works here; the server knows that nobody has seen it yet.
function fetchAhead() {
  const { nextUrl } = place();
  if (nextUrl && !ahead) ahead = { url: nextUrl, html: fetchItem(nextUrl, { "X-Prefetch": "1" }) };
}

async function advance(url, last = "") {
  const html = (ahead?.url === url && (await ahead.html)) || (await fetchItem(url));
  if (!html) return location.assign(url);
  history.pushState(null, "", url);
  htmx.swap("#item", html, { swapStyle: "outerHTML" });
  scrollTo(0, 0);
  byId("task").focus({ preventScroll: true });
  begin();
  if (last) word(last);
  if (blindForm()) post(place().shownUrl, filled(blindForm())).catch(() => {});
}

function begin() {
  clearTimeout(saveTimer);
  seconds = Number(place().seconds);
  lastSign = performance.now();
  ahead = null;
  question = document.querySelector("[data-question]")?.dataset.question ?? "result";
  const reference = byId("reference");
  if (reference && matchMedia("(max-width: 860px)").matches) reference.open = false;
  restore();
  showMarks();
}

function onChange(event) {
  if (!blindForm() || event.target.form !== blindForm()) return;
  question = event.target.name.replace("_evidence", "");
  showMarks();
  saveSoon();
}

function onFocus(event) {
  question = event.target.closest("[data-question]")?.dataset.question ?? question;
  const step = event.target.closest("#item .step");
  if (step) stand(step);
}

function onClick(event) {
  const step = event.target.closest("#item .step");
  if (step) stand(step);
  const button = event.target.closest("[data-opens], [data-closes], [data-settle], [data-mark], [data-next]");
  if (!button) return;
  const { opens, closes, settle: whose, mark: name, next } = button.dataset;
  if (opens !== undefined) openKeys();
  if (closes) byId(closes).hidden = true;
  if (whose) settle(whose);
  if (name) mark(name);
  if (next && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    advance(next);
  }
}

function onSwapped(event) {
  const swapped = event.detail.target?.id;
  if (swapped === "guidelines") byId("guidelines").focus();
  if (swapped !== "stage") return;
  if (!blindForm()) forgetDraft();
  else if (keptHere()?.unsent) saveSoon();
  byId("mark").hidden = !blindForm();
  showMarks();
  const next = document.querySelector("#stage [data-next]")?.dataset.next;
  if (next && byId("stage").dataset.stage === "later") advance(next, "locked; its review comes later");
  else focusInPanel(document.querySelector("#stage [data-focus]"));
}

// Only the panel may scroll: the reader's place in the trajectory stays.
function focusInPanel(element) {
  if (!element) return;
  element.focus({ preventScroll: true });
  const panel = element.closest(".side");
  const [inner, outer] = [(element.closest("fieldset") ?? element).getBoundingClientRect(), panel.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) panel.scrollTop += inner.top - outer.top - 16;
}

function onRequest(event) {
  if (event.detail.elt.id !== "blind") return;
  clearTimeout(saveTimer);
  event.detail.parameters.seconds = filled(blindForm()).get("seconds");
}

function listen() {
  for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "scroll"]) {
    document.addEventListener(type, sign, { passive: true });
    document.addEventListener(type, fetchAhead, { passive: true });
  }
  addEventListener("focus", wake);
  addEventListener("blur", wake);
  document.addEventListener("visibilitychange", () => {
    wake();
    if (document.visibilityState === "hidden") leave();
  });
  addEventListener("online", () => keptHere()?.unsent && saveSoon());
  addEventListener("popstate", () => location.pathname !== place().url && location.reload());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  document.addEventListener("keydown", onKey);
  document.addEventListener("change", onChange);
  document.addEventListener("focusin", onFocus);
  document.addEventListener("click", onClick);
  document.addEventListener("submit", (event) => event.target.action.endsWith("/accounts/logout/") && forgetOwn());
  document.addEventListener("htmx:configRequest", onRequest);
  document.addEventListener("htmx:afterSwap", onSwapped);
  document.addEventListener("htmx:sendError", () => {
    say("The connection is lost. Your answers are kept in this browser; submit again when it is back.");
    if (keptHere()?.unsent) offline();
  });
  document.addEventListener("htmx:responseError", (event) =>
    say(TROUBLE[event.detail.xhr.status] ?? "The server could not save this. Your answers are kept in this browser; try again."),
  );
}

listen();
begin();
