// Files may be dropped anywhere on the drop area; without this module the file picker does the same.
const form = document.querySelector("[data-drop]");
const picker = form?.querySelector("input[type=file]");

function over(event) {
  if (![...event.dataTransfer.types].includes("Files")) return;
  event.preventDefault();
  form.classList.toggle("is-over", event.type !== "dragleave");
}

if (form && picker) {
  for (const type of ["dragenter", "dragover", "dragleave"]) form.addEventListener(type, over);
  form.addEventListener("drop", (event) => {
    over(event);
    form.classList.remove("is-over");
    picker.files = event.dataTransfer.files;
    form.requestSubmit();
  });
}
