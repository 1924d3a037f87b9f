import type { EventMetadata } from './event.js';

/** Text that JSON can express and jsonb of PostgreSQL cannot: NUL and unpaired surrogates. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Signs of a lost number: JSON writes NaN and infinities as null, and only raw JSON has such exponents. */
const SUSPECT_NUMBER = /null|[eE]\+?\d{3}/;

/** The event can never be stored. */
export class UnstorableEventError extends Error {
  override readonly name = 'UnstorableEventError';
}

/**
 * The JSON text of an event's data.
 * @throws UnstorableEventError for NUL characters, unpaired surrogates, numbers out of range and values that JSON
 * cannot express, before they fail a whole group of appends.
 */
export const storableJson = (type: string, data: object): string => {
  const json = jsonOf(type, data);
  if (json.includes('\\u') && UNSTORABLE_ESCAPE.test(json))
    throw new UnstorableEventError(`event ${type} contains a NUL character or an unpaired surrogate`);
  if (SUSPECT_NUMBER.test(json) && (holdsUnboundedNumber(data) || holdsUnboundedNumber(JSON.parse(json))))
    throw new UnstorableEventError(`event ${type} holds a number out of range`);
  return json;
};

/**
 * The JSON text of the metadata.
 * @throws UnstorableEventError also when the names of the stream or the types cannot be stored.
 */
export const storableFrame = (
  streamId: string,
  events: readonly { readonly type: string }[],
  metadata: EventMetadata,
): string => {
  for (const text of [streamId, ...events.map(({ type }) => type)])
    if (text.includes('\0') || !text.isWellFormed())
      throw new UnstorableEventError(
        `stream ${JSON.stringify(streamId)} contains a NUL character or an unpaired surrogate in its names`,
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
