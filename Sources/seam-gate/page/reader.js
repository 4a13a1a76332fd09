// Reads a stream of events as the browser's own EventSource does, and can send what that cannot: the page's half of the
// key. The gate ends lines with LF alone and has one line of data for each event.

/** A stream that is opened again whenever it breaks, from where it was, until it is refused or closed. */
export class EventReader {
  #id = "";
  #retry = 1000;
  #abort = new AbortController();

  /**
   * @param {string} address
   * @param {string} half the page's half of the key
   * @param {{event: (name: string, data: string, id: string) => void, broken: () => void, refused: () => void}} listener
   */
  constructor(address, half, listener) {
    this.address = address;
    this.half = half;
    this.listener = listener;
    this.#run();
  }

  close() { this.#abort.abort(); }

  async #run() {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        const headers = { Accept: "text/event-stream", "Seam-Page": this.half };
        if (this.#id) headers["Last-Event-ID"] = this.#id;
        const response = await fetch(this.address, { headers, signal, cache: "no-store" });
        if (!response.ok) {
          this.#abort.abort();
          return this.listener.refused();
        }
        await this.#read(response.body.getReader());
      } catch {
        // Broken off, or nobody was there: both are gone on from below.
      }
      if (signal.aborted) return;
      this.listener.broken();
      await new Promise((done) => setTimeout(done, this.#retry));
    }
  }

  async #read(reader) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#abort.signal.aborted) return;
      // Pieces of a long event are put together once, when its end is there.
      const text = rest + decoder.decode(value, { stream: true });
      let from = 0;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", from)) {
        this.#take(text.slice(from, end));
        if (this.#abort.signal.aborted) return;
        from = end + 2;
      }
      rest = text.slice(from);
    }
  }

  #take(block) {
    let name = "";
    let data = null;
    for (const line of block.split("\n")) {
      const colon = line.indexOf(": ");
      const value = line.slice(colon + 2);
      switch (line.slice(0, Math.max(0, colon))) {
        case "event": name = value; break;
        case "data": data = value; break;
        case "id": this.#id = value; break;
        case "retry": this.#retry = Number(value) || this.#retry; break;
        default: break;
      }
    }
    if (name && data !== null) this.listener.event(name, data, this.#id);
  }
}
