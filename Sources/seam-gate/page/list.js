// A list of any length with as many elements as fit on the screen.

/** Browsers stop laying out somewhere above this many pixels; beyond, the place in the list is scaled. */
const mostPixels = 8_000_000;

export class VirtualList {
  #slots = [];
  #rowHeight = 0;
  #viewHeight = 0;
  #scrollTop = 0;
  #top = 0;
  #hasFocus = false;
  /** The selected row is out of sight: the list has the focus in its stead. */
  #isParked = false;

  /**
   * @param {HTMLElement} scroller holds a header and, behind it, `body`
   * @param {object} owner makes and fills rows:
   *   `makeRow() -> element`, `fill(element, row)`: shows what is there now, cheaply when nothing has changed,
   *   `measured(row)`: columns have other widths, as this row shows; `open(row)`, `move(row)`: somebody has gone there
   */
  constructor(scroller, body, owner) {
    this.scroller = scroller;
    this.body = body;
    this.owner = owner;
    this.count = 0;
    this.selected = -1;
    scroller.addEventListener("scroll", () => {
      this.#scrollTop = scroller.scrollTop;
      owner.isDirty = true;
    }, { passive: true });
    new ResizeObserver(() => this.measure()).observe(scroller);
    body.addEventListener("click", (event) => {
      const row = this.#rowOf(event.target);
      if (row < 0) return;
      this.owner.move(row);
      if (event.detail !== 0) this.owner.open(row);
      this.focus();
    });
    body.addEventListener("focusin", () => { this.#hasFocus = true; });
    body.addEventListener("focusout", () => { this.#hasFocus = false; });
    scroller.addEventListener("blur", () => { this.#isParked = false; });
    scroller.tabIndex = -1;
    this.measure();
  }

  #rowOf(target) {
    const slot = target.closest?.(".row");
    return slot && !slot.hidden ? slot.seamRow : -1;
  }

  measure() {
    const style = getComputedStyle(this.scroller);
    this.#rowHeight = parseFloat(style.getPropertyValue("--row")) || 28;
    this.#viewHeight = this.scroller.clientHeight;
    const wanted = Math.ceil(this.#viewHeight / this.#rowHeight) + 2;
    while (this.#slots.length < wanted) {
      const element = this.owner.makeRow();
      element.classList.add("row");
      element.tabIndex = -1;
      element.hidden = true;
      element.seamRow = -1;
      this.body.append(element);
      this.#slots.push(element);
    }
    while (this.#slots.length > wanted) this.#slots.pop().remove();
    for (const slot of this.#slots) slot.seamRow = -1;
    // Widths are those of a row that is laid out, whether or not one is shown now.
    const [probe] = this.#slots;
    const { hidden } = probe;
    probe.hidden = false;
    this.owner.measured?.(probe);
    probe.hidden = hidden;
    this.owner.isDirty = true;
  }

  /** What is shown in each element now has to be shown anew. */
  get elements() { return this.#slots; }

  get rowsOnScreen() { return Math.max(1, Math.floor(this.#viewHeight / this.#rowHeight) - 1); }

  /** How far the list can scroll, and how far its rows would. */
  #scale() {
    const full = this.count * this.#rowHeight;
    const height = Math.min(full, mostPixels);
    const spare = Math.max(1, height - this.#viewHeight);
    return { full, height, factor: full <= mostPixels ? 1 : (full - this.#viewHeight) / spare };
  }

  /** Puts the rows that are on the screen into elements. A row keeps its element while it is there. */
  render() {
    const { height, factor } = this.#scale();
    this.body.style.height = `${height}px`;
    const offset = this.#scrollTop * factor;
    const first = Math.max(0, Math.min(Math.floor(offset / this.#rowHeight), this.count - 1));
    this.#top = first;
    const count = this.#slots.length;
    let focused = null;
    const isInSight = this.isSelectedInSight;
    for (let k = 0; k < count; k += 1) {
      const row = first + k;
      const slot = this.#slots[row % count];
      const isThere = row < this.count;
      if (slot.hidden === isThere) slot.hidden = !isThere;
      if (!isThere) {
        slot.seamRow = -1;
        continue;
      }
      const y = row * this.#rowHeight - offset + this.#scrollTop;
      if (slot.seamTop !== y) {
        slot.seamTop = y;
        slot.style.transform = `translateY(${y}px)`;
      }
      if (slot.seamRow !== row) {
        slot.seamRow = row;
        slot.setAttribute("aria-rowindex", String(row + 2));
      }
      const isSelected = row === this.selected;
      if (slot.seamSelected !== isSelected) {
        slot.seamSelected = isSelected;
        slot.classList.toggle("selected", isSelected);
        if (isSelected) slot.setAttribute("aria-current", "true");
        else slot.removeAttribute("aria-current");
      }
      const reachable = isSelected || (!isInSight && row === first) ? 0 : -1;
      if (slot.tabIndex !== reachable) slot.tabIndex = reachable;
      if (isSelected) focused = slot;
      this.owner.fill(slot, row);
    }
    // Focus is with the selected row, whatever element shows it now.
    if (focused && (this.#hasFocus || this.#isParked) && document.activeElement !== focused) focused.focus({ preventScroll: true });
    else if (!focused && this.#hasFocus && this.selected >= 0) {
      // The element shows another row by now.
      this.scroller.focus({ preventScroll: true });
      this.#isParked = true;
    }
  }

  get isSelectedInSight() { return this.selected >= this.#top && this.selected < this.#top + this.#slots.length; }

  get isScrolled() { return this.#scrollTop > 0; }

  /** So many rows have come above what is looked at: it stays where it is. */
  shift(rows) {
    if (rows === 0) return;
    this.count += rows;
    const { height, factor } = this.#scale();
    this.body.style.height = `${height}px`;
    this.scroller.scrollTop += rows * this.#rowHeight / factor;
    this.#scrollTop = this.scroller.scrollTop;
  }

  focus() {
    this.#hasFocus = true;
    this.owner.isDirty = true;
  }

  /** Scrolls as little as it takes. */
  reveal(row, { isCentred = false } = {}) {
    if (row < 0 || this.count === 0) return;
    const { factor } = this.#scale();
    const offset = this.#scrollTop * factor;
    const header = this.body.offsetTop;
    const room = this.#viewHeight - header;
    const top = row * this.#rowHeight;
    let wanted = offset;
    if (isCentred && (top < offset || top + this.#rowHeight > offset + room)) wanted = top - room / 2;
    else if (top < offset) wanted = top;
    else if (top + this.#rowHeight > offset + room) wanted = top + this.#rowHeight - room;
    wanted = Math.max(0, wanted);
    if (wanted === offset) return;
    this.scroller.scrollTop = wanted / factor;
    this.#scrollTop = this.scroller.scrollTop;
    this.owner.isDirty = true;
  }
}
