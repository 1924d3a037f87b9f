import type { EventMetadata } from './event.js';

/** Escapes of text that JSON can carry and PostgreSQL's jsonb cannot: NUL, and halves of surrogate pairs. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Where a number may have been lost: JSON writes NaN and the infinities as null; only raw JSON has such exponents. */
const SUSPECT_NUMBER = /null|[eE]\+?\d{3}/;

/** The event can never be stored, whoever tries. */
export class UnstorableEventError extends Error {
  override readonly name = 'UnstorableEventError';
}

/**
 * The JSON text of an event's data.
 * @throws UnstorableEventError before it can fail a whole group of appends: for NUL characters, halves of surrogate
 * pairs, numbers beyond a double (NaN and the infinities included), and what JSON cannot express.
 */
export const storableJson = (type: string, data: object): string => {
  const json = jsonOf(type, data);
  if (json.includes('\\u') && UNSTORABLE_ESCAPE.test(json))
    throw new UnstorableEventError(`event ${type} holds a NUL character or half of a surrogate pair`);
  if (SUSPECT_NUMBER.test(json) && (holdsUnboundedNumber(data) || holdsUnboundedNumber(JSON.parse(json))))
    throw new UnstorableEventError(`event ${type} holds a number out of range`);
  return json;
};

/**
 * The JSON text of the metadata, once the plain texts around an event are known to be storable.
 * @throws UnstorableEventError
 */
export const storableFrame = (
  streamId: string,
  events: readonly { readonly type: string }[],
  metadata: EventMetadata,
): string => {
  for (const text of [streamId, ...events.map(({ type }) => type)])
    if (text.includes('\0') || !text.isWellFormed())
      throw new UnstorableEventError(
        `stream ${JSON.stringify(streamId)} holds a NUL character or half of a surrogate pair in its names`,
      );
  return storableJson(`metadata of stream ${streamId}`, metadata);
};

const jsonOf = (type: string, data: object): string => {
  let json: string | undefined;
  try {
    json = JSON.stringify(data);
  } catch (cause) {
    throw new UnstorableEventError(`event ${type} cannot be written as JSON`, { cause });
  }
  if (json === undefined) throw new UnstorableEventError(`event ${type} has no data`);
  return json;
};

const holdsUnboundedNumber = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsUnboundedNumber);
};
