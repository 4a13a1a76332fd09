// Two widgets of the old kind: each owns the nodes below its place, and shows what it was last told.

/** A number in a badge. Only digits that change are made anew, which is why it wants to be told and not replaced. */
class Counter {
  #place;
  #digits = [];

  constructor(place, value) {
    this.#place = place;
    place.className = "counter";
    this.setValue(value);
  }

  setValue(value) {
    const digits = [...String(value)];
    while (this.#digits.length > digits.length) this.#digits.pop().remove();
    digits.forEach((digit, index) => {
      this.#digits[index] ??= this.#place.appendChild(document.createElement("span"));
      if (this.#digits[index].textContent !== digit) this.#digits[index].textContent = digit;
    });
  }
}

/** A title that one can type into. */
class TitleField {
  #place;

  constructor(place, text, onInput) {
    this.#place = place;
    place.className = "title";
    place.contentEditable = "plaintext-only";
    place.addEventListener("input", () => onInput(place.innerText));
    this.setValue(text);
  }

  setValue(text) {
    // An equal text would move the caret of whoever is typing.
    if (this.#place.innerText !== text) this.#place.innerText = text;
  }
}
