/** An address in a report, with all its possible spellings. */
export interface ReportAddress {
  /** Lower case: `rfc822`, `utf-8`, … */
  readonly type: string;
  /** The address as written in the report. */
  readonly address: string;
  /** The address as written, and decoded (RFC 3461 §4 xtext, RFC 6533 §3). */
  readonly spellings: readonly string[];
}

const MAX_ADDRESS = 400;

/** Reads `type; address`; undefined if there is no mail address (such as X.400). */
export function reportAddress(value: string | undefined): ReportAddress | undefined {
  const match = /^([A-Za-z0-9-]{1,40})\s*;\s*(\S.*)$/.exec(value ?? '');
  const type = match?.[1]?.toLowerCase() ?? 'rfc822';
  const address = (match?.[2] ?? value ?? '').trim().replace(/^<(.*)>$/, '$1');
  if (!isMailbox(address) || address.length > MAX_ADDRESS || !['rfc822', 'utf-8'].includes(type)) return undefined;
  const decoded = type === 'utf-8' ? fromUtf8Xtext(address) : fromXtext(address);
  return { type, address, spellings: decoded === address ? [address] : [address, decoded] };
}

/** A recipient can be a pipe or a file: `|/usr/bin/program a@b /home/a`. */
function isMailbox(address: string): boolean {
  const at = address.lastIndexOf('@');
  return at > 0 && (address.startsWith('"') || (!/[\s|/]/.test(address.slice(0, 1)) && !/\s/.test(address)));
}

function fromXtext(address: string): string {
  return address.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function fromUtf8Xtext(address: string): string {
  return address.replace(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (whole, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
  });
}
