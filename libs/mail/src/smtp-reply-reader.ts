/** One complete raw reply: its code, and its lines joined by `\n`, including codes. */
export interface RawReply {
  readonly code: number;
  readonly text: string;
}

/** Thrown for data that is not an SMTP reply: later data on this connection is not trusted. */
export class ReplySyntaxError extends Error {
  override readonly name = 'ReplySyntaxError';
}

const MAX_REPLY = 64 * 1024;
const CR = 0x0d;
const DASH = 0x2d;
const SPACE = 0x20;

/**
 * Splits a relay's bytes into replies (RFC 5321 §4.2.1), independent of packets. Lines may end in a bare LF; every line of
 * a reply must have the same code. Takes linear time and bounded memory.
 */
export class ReplyReader {
  /** The received part of the current line; scanned once, because a chunk without a line end is only appended. */
  #line = '';
  #lines = '';
  #code = 0;

  /** True while a reply is incomplete. */
  get isAmidReply(): boolean {
    return this.#line !== '' || this.#code !== 0;
  }

  /**
   * Reads a chunk and passes on every completed reply, with whether more bytes have already arrived.
   * @throws ReplySyntaxError
   */
  read(chunk: Buffer, take: (reply: RawReply, moreCame: boolean) => void): void {
    const bytes = chunk.toString('latin1');
    let start = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
      const line = this.#line + bytes.slice(start, end > start && bytes.charCodeAt(end - 1) === CR ? end - 1 : end);
      start = end + 1;
      this.#line = '';
      if (this.#takeLine(line)) {
        const reply = { code: this.#code, text: decoded(this.#lines) };
        this.#code = 0;
        this.#lines = '';
        take(reply, start < bytes.length);
      }
    }
    this.#line += bytes.slice(start);
    if (this.#line.length > MAX_REPLY) throw new ReplySyntaxError('a reply of the relay has no end');
  }

  /** True if the line completes its reply. */
  #takeLine(line: string): boolean {
    // The CR may have arrived in the packet before its LF.
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    const code = codeOf(text);
    if (code === 0 || (this.#code !== 0 && code !== this.#code)) {
      throw new ReplySyntaxError(`invalid SMTP reply: ${decoded(text).slice(0, 200)}`);
    }
    this.#lines = this.#code === 0 ? text : `${this.#lines}\n${text}`;
    this.#code = code;
    if (this.#lines.length > MAX_REPLY) throw new ReplySyntaxError('a reply of the relay has no end');
    return text.charCodeAt(3) !== DASH;
  }
}

/** Three digits, alone or before a space or a dash; 0 if there are none. */
function codeOf(line: string): number {
  let code = 0;
  for (let at = 0; at < 3; at++) {
    const digit = line.charCodeAt(at) - 0x30;
    // A character beyond the end reads as NaN.
    if (!(digit >= 0 && digit <= 9)) return 0;
    code = code * 10 + digit;
  }
  const after = line.charCodeAt(3);
  return line.length === 3 || after === SPACE || after === DASH ? code : 0;
}

/** UTF-8 if valid (RFC 6531 §3.7.4), otherwise Latin-1. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const utf8 = Buffer.from(text, 'latin1').toString('utf8');
  return utf8.includes('\ufffd') ? text : utf8;
}
