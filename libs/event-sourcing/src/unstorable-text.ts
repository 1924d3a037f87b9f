/** Text that JSON can carry and PostgreSQL's jsonb cannot: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

export class UnstorableEventError extends Error {
  override readonly name = 'UnstorableEventError';
}

/**
 * The JSON text of an event's data.
 * @throws UnstorableEventError before it can fail a whole group of appends.
 */
export const storableJson = (type: string, data: object): string => {
  const json = JSON.stringify(data);
  if (json.includes('\\u') && UNSTORABLE.test(json))
    throw new UnstorableEventError(`event ${type} holds a NUL character or half of a surrogate pair`);
  return json;
};
