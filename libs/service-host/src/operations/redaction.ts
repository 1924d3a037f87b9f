import { formsOf } from './address-forms.js';

/** An address and its replacement. */
export interface Redaction {
  readonly address: string;
  readonly replacement: string;
}

/** Personal fields of an object about one person. */
const PERSONAL_FIELDS: readonly string[] = ['subject', 'user_agent', 'ip', 'url'];

/**
 * Characters next to a match that make it part of a longer address (RFC 5321 §4.1.2, RFC 6531). Characters such as `'`,
 * `=` and `/` may start a local part, but in text they usually only precede one.
 */
const BEFORE = String.raw`(?<![\p{L}\p{N}\p{M}[\p{S}--[\x00-\x7f]].!#$%*+^_\}~\-])`;
const AFTER = String.raw`(?!-*[\p{L}\p{N}\p{M}]|\.[\p{L}\p{N}])`;

/** A text that consists only of an address; such a text must match completely. */
const ADDRESS_ALONE =
  /^(?:"(?:[^"\\]|\\.)*"|[^\s"(),:;<>@[\]\\]+)@(?:\[[^\]\s]*\]|[\p{L}\p{N}\p{M}.-]*[\p{L}\p{N}\p{M}])$/u;

/** A replacement of an earlier erasure. */
const ERASED = /@erased\.invalid$/i;

interface AddressPatterns {
  readonly alone: RegExp;
  readonly within: RegExp;
}

const patternsOf = (address: string): AddressPatterns => {
  const forms = formsOf(address).map(RegExp.escape).join('|');
  return { alone: new RegExp(`^(?:${forms})$`, 'iv'), within: new RegExp(`${BEFORE}(?:${forms})${AFTER}`, 'giv') };
};

/**
 * Returns a function that removes the address from a JSON value, ignoring case; undefined if the value does not contain
 * it. In an object that concerns only this person, it also empties personal fields.
 */
export const redactor = ({ address, replacement }: Redaction): ((value: unknown) => unknown) => {
  const { alone, within } = patternsOf(address);
  let found = false;
  const replaced = (): string => {
    found = true;
    return replacement;
  };
  const inText = (text: string): string => {
    if (alone.test(text)) return replaced();
    return ADDRESS_ALONE.test(text) ? text : text.replace(within, replaced);
  };
  const concerns = (value: unknown) => typeof value === 'string' && alone.test(value);
  const isOfNobodyElse = (value: unknown) => concerns(value) || (typeof value === 'string' && ERASED.test(value));
  const isAboutThemAlone = ({ to, address: own, recipients }: Record<string, unknown>): boolean => {
    const all = Array.isArray(recipients) ? (recipients as { address?: unknown }[]) : [];
    const isTheLast = all.some(recipient => concerns(recipient?.address));
    return concerns(to) || concerns(own) || (isTheLast && all.every(recipient => isOfNobodyElse(recipient?.address)));
  };
  const walk = (value: unknown, emptied: boolean): unknown => {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(item => walk(item, emptied));
    if (value === null || typeof value !== 'object') return value;
    const fields = value as Record<string, unknown>;
    const empties = emptied || isAboutThemAlone(fields);
    return Object.fromEntries(
      Object.entries(fields).map(([key, field]) =>
        empties && typeof field === 'string' && PERSONAL_FIELDS.includes(key)
          ? [inText(key), '']
          : [inText(key), walk(field, empties)],
      ),
    );
  };
  return value => {
    found = false;
    const redacted = walk(value, false);
    return found ? redacted : undefined;
  };
};

/** The last UUID of an id and the text after it. */
const AFTER_UUID = /^(.*[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}-)(.+)$/su;

/** Returns a function that removes the address from a stream id, where it may follow the last UUID. */
export const idRedactor = ({ address, replacement }: Redaction): ((streamId: string) => string | undefined) => {
  const { alone } = patternsOf(address);
  return streamId => {
    const [, before, rest] = AFTER_UUID.exec(streamId) ?? [];
    return rest !== undefined && alone.test(rest) ? `${before}${replacement}` : undefined;
  };
};
