/** Close frame with the code 1001, "going away" (RFC 6455 §5.5.1 and §7.4.1). */
export const GOING_AWAY = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

const LENGTH_OF_16_BITS = 126;
const LENGTH_OF_64_BITS = 127;

/** Tracks the frames of one direction of a WebSocket, to find where another frame may be inserted. */
export class WebSocketFrames {
  #header = Buffer.alloc(0);
  #payload = 0;

  /** Whether only complete frames have passed. */
  get betweenFrames(): boolean {
    return this.#payload === 0 && this.#header.length === 0;
  }

  /** The bytes of the present frame that are still to come; 0 also within its header. */
  get payloadLeft(): number {
    return this.#payload;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#payload > 0) {
        const taken = Math.min(this.#payload, rest.length);
        this.#payload -= taken;
        rest = rest.subarray(taken);
        continue;
      }
      const before = this.#header.length;
      const header = Buffer.concat([this.#header, rest.subarray(0, 14)]);
      const frame = frameOf(header);
      if (!frame) {
        this.#header = header;
        return;
      }
      this.#header = Buffer.alloc(0);
      this.#payload = frame.payload;
      rest = rest.subarray(frame.header - before);
    }
  }
}

/** Lengths of the first header and of its payload; undefined until the header is complete. */
const frameOf = (bytes: Buffer): { readonly header: number; readonly payload: number } | undefined => {
  if (bytes.length < 2) return undefined;
  const mask = bytes[1]! & 0x80 ? 4 : 0;
  const length = bytes[1]! & 0x7f;
  const extended = length === LENGTH_OF_16_BITS ? 2 : length === LENGTH_OF_64_BITS ? 8 : 0;
  const header = 2 + extended + mask;
  if (bytes.length < header) return undefined;
  if (extended === 0) return { header, payload: length };
  return { header, payload: extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)) };
};
