const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** A byte that is missing, and the position in front of which it belongs. */
interface Insertion {
  readonly at: number;
  readonly byte: number;
}

/**
 * A message as DATA wants it (RFC 5321 §4.5.2): leading dots doubled, and the dot that ends it. Line ends that are not
 * CRLF become that, so that no server on the way can take a part of the content for the end of the data, and what
 * follows for commands.
 */
export function dataOf(message: Buffer): Buffer {
  const insertions = missingIn(message);
  const last = message[message.length - 1];
  const end = message.length === 0 || last === LF || last === CR ? '.\r\n' : '\r\n.\r\n';
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

/** Nothing, for what `composeMessage` makes: its lines end in CRLF, and it escapes leading dots. */
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
