// Bytes to lines.
//
// Not node:readline: it loses lines that arrive between the connection and the start of the loop over them
// (nodejs/node#33463), and it decides by itself what ends a line, where the protocol knows LF alone.

import { LineTooLongError, ProtocolError } from "./errors.js";

const lineFeed = 0x0a;

/** Cuts chunks at LF. A character cut in two by a chunk is put together again, since only whole lines are decoded. */
export class LineSplitter {
  #limit;
  #parts = [];
  #bytes = 0;
  // Fatal: a byte that is no UTF-8 would become a question mark that nobody has written.
  #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /** @param {number} limit  bytes of the longest line */
  constructor(limit) {
    this.#limit = limit;
  }

  /** Bytes of the line that has begun. */
  get pendingBytes() {
    return this.#bytes;
  }

  /** The lines that are complete with this chunk, without their LF. */
  push(chunk) {
    const last = chunk.lastIndexOf(lineFeed);
    if (last < 0) {
      this.#keep(chunk);
      return [];
    }
    this.#checkLengths(chunk, last);
    let whole = chunk.subarray(0, last);
    if (this.#parts.length > 0) {
      this.#parts.push(whole);
      whole = Buffer.concat(this.#parts);
      this.#parts = [];
    }
    this.#bytes = 0;
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
    // One decoding for all lines of the chunk costs a fraction of one for each.
    return this.#decode(whole).split("\n");
  }

  #checkLengths(chunk, last) {
    let start = -this.#bytes;
    if (last - start <= this.#limit) return;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, end + 1)) {
      if (end - start > this.#limit) throw this.#tooLong(end - start);
      start = end + 1;
    }
  }

  #keep(part) {
    this.#bytes += part.length;
    if (this.#bytes > this.#limit) throw this.#tooLong(this.#bytes);
    this.#parts.push(part);
  }

  #tooLong(bytes) {
    return new LineTooLongError(
      `A line of ${bytes} bytes or more came, where ${this.#limit} are expected at most; ` +
        "connect with a larger maxLine if this is a seamd.",
    );
  }

  #decode(bytes) {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new ProtocolError("A line came that is not UTF-8; what listens there is no seamd.", { cause });
    }
  }
}
