const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

const END = '.\r\n';
const stuffedParts = new WeakMap<Buffer, Buffer>();

/** A missing byte, and the position in front of which it is inserted. */
interface Insertion {
  readonly at: number;
  readonly byte: number;
}

/**
 * A message for DATA (RFC 5321 §4.5.2): leading dots doubled, and the final dot. Bare line ends become CRLF, so that no
 * server interprets content as the end of the data and the rest as commands (SMTP smuggling).
 */
export function dataOf(message: Buffer): Buffer {
  const insertions = missingIn(message);
  const last = message[message.length - 1];
  const end = message.length === 0 || last === LF || last === CR ? END : `\r\n${END}`;
  const data = Buffer.allocUnsafe(message.length + insertions.length + end.length);
  let written = 0;
  let copied = 0;
  for (const { at, byte } of insertions) {
    written += message.copy(data, written, copied, at);
    copied = at;
    data[written++] = byte;
  }
  written += message.copy(data, written, copied);
  data.write(end, written, 'latin1');
  return data;
}

/** Encodes parts of a message for DATA; each part ends with a line. A part that several messages share is scanned once. */
export function dataOfParts(parts: readonly Buffer[]): Buffer[] {
  return parts.map((part, index) => {
    if (index === parts.length - 1) return dataOf(part);
    const known = stuffedParts.get(part) ?? (missingIn(part).length > 0 ? dataOf(part).subarray(0, -END.length) : part);
    stuffedParts.set(part, known);
    return known;
  });
}

/** Empty for the output of `composeMessage`, whose lines end in CRLF and whose leading dots are escaped. */
function missingIn(message: Buffer): Insertion[] {
  const insertions: Insertion[] = [];
  const { length } = message;
  for (let at = 0; at < length; at++) {
    const byte = message[at]!;
    // Letters, digits and most signs.
    if (byte > DOT) continue;
    if (byte === CR) {
      if (message[at + 1] !== LF) insertions.push({ at: at + 1, byte: LF });
    } else if (byte === LF) {
      if (message[at - 1] !== CR) insertions.push({ at, byte: CR });
    } else if (byte === DOT && (at === 0 || message[at - 1] === LF || message[at - 1] === CR)) {
      insertions.push({ at, byte: DOT });
    }
  }
  return insertions;
}
