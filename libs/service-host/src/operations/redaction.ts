/** What one person's address becomes. */
export interface Redaction {
  readonly address: string;
  readonly replacement: string;
}

/** Beside the address of whom they concern, these tell of the person: of what, from where and with what they read. */
const PERSONAL_FIELDS: readonly string[] = ['subject', 'user_agent', 'ip', 'url'];

/** What may stand before and after an address without making it another one (RFC 5321 §4.1.2, RFC 6531). */
const BEFORE = String.raw`(?<![\p{L}\p{N}.!#$%&'*+/=?^_{|}~-])`;
const AFTER = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;

const patternOf = (address: string): RegExp =>
  new RegExp(`${BEFORE}${address.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)}${AFTER}`, 'giu');

/**
 * A function that gives any JSON value without the address, in whatever case it is written; undefined where it was
 * not in there. In an object that is about this person alone the personal fields are emptied as well.
 */
export const redactor = ({ address, replacement }: Redaction): ((value: unknown) => unknown) => {
  const pattern = patternOf(address);
  let found = false;
  const inText = (text: string): string =>
    text.replace(pattern, () => {
      found = true;
      return replacement;
    });
  const concerns = (value: unknown) => typeof value === 'string' && value.toLowerCase() === address.toLowerCase();
  const isAboutThemAlone = ({ to, address: own, recipients }: Record<string, unknown>): boolean => {
    const [only, ...others] = Array.isArray(recipients) ? (recipients as { address?: unknown }[]) : [];
    return concerns(to) || concerns(own) || (others.length === 0 && concerns(only?.address));
  };
  const walk = (value: unknown, emptied: boolean): unknown => {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(item => walk(item, emptied));
    if (value === null || typeof value !== 'object') return value;
    const fields = value as Record<string, unknown>;
    const empties = emptied || isAboutThemAlone(fields);
    return Object.fromEntries(
      Object.entries(fields).map(([key, field]) =>
        empties && typeof field === 'string' && PERSONAL_FIELDS.includes(key) ? [key, ''] : [key, walk(field, empties)],
      ),
    );
  };
  return value => {
    found = false;
    const redacted = walk(value, false);
    return found ? redacted : undefined;
  };
};
