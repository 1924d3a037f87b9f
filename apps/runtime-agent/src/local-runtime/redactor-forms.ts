import { SHORTEST_ANYWHERE } from './short-secrets.js';

/** Lines of a multi-line secret, such as a private key, are also masked individually from this length on. */
const SHORTEST_LINE = 8;
/** Longer forms are searched for in pieces, to limit the text that is held back. */
const LONGEST = 256;

/** All strings to search for, to find a secret of at least four characters as it is, encoded, or escaped. */
export const formsOf = (secret: string): readonly string[] => {
  if (secret.length < SHORTEST_ANYWHERE) return [];
  const lines = secret.includes('\n') ? secret.split(/\r?\n/).filter(line => line.length >= SHORTEST_LINE) : [];
  const forms = new Set([secret, secret.replaceAll(/\r?\n/g, '\r\n'), ...lines].flatMap(formsOfText));
  return [...forms].filter(form => form.length >= SHORTEST_ANYWHERE).flatMap(pieces);
};

const formsOfText = (text: string): readonly string[] => {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text.toWellFormed());
  return [
    text,
    json,
    json.replaceAll('/', '\\/'),
    // JSON within JSON, as in a logged request body.
    JSON.stringify(json).slice(1, -1),
    asciiOnly(json),
    ...[url, strictly(url), new URLSearchParams({ '': text }).toString().slice(1)].flatMap(encoded => [
      encoded,
      encoded.replaceAll(/%[0-9A-F]{2}/g, octet => octet.toLowerCase()),
    ]),
    // Quoted by a shell, also in the trace of `set -x`.
    text.replaceAll("'", "'\\''"),
    ...base64Forms(Buffer.from(text)),
    ...hexForms(Buffer.from(text)),
  ];
};

const asciiOnly = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** RFC 3986 encodes more characters than `encodeURIComponent`. */
const strictly = (url: string): string =>
  url.replaceAll(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const hexForms = (bytes: Buffer): readonly string[] => {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase()];
};

/**
 * The encoded form of bytes within a longer text depends on their offset modulo 3. Characters that also encode bits of
 * adjacent bytes are left out.
 */
const base64Forms = (bytes: Buffer): readonly string[] => {
  const whole = bytes.toString('base64');
  const aligned = [0, 1, 2].map(before => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [whole, ...aligned].flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
};

/** Splits a form into overlapping pieces, so that their matches merge into one mask. */
const pieces = (form: string): readonly string[] => {
  if (form.length <= LONGEST) return [form];
  const starts = Array.from({ length: Math.ceil((form.length - 1) / (LONGEST - 1)) }, (_, index) =>
    Math.min(index * (LONGEST - 1), form.length - LONGEST),
  );
  return starts.map(start => form.slice(start, start + LONGEST));
};
