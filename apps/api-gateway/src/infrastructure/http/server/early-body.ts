import type { IncomingMessage } from 'node:http';

/** A property of the request: the body was read before the request reached its server. */
const BODY = Symbol('early body');

type Read = IncomingMessage & { [BODY]?: Buffer };

/** The body that was read to find the cell of the request. */
export const earlyBodyOf = (request: Read): Buffer | undefined => request[BODY];

/** Reads a body; undefined if it is longer than the limit. Rejects if the client disconnects. */
export const readEarly = async (request: Read, maxBytes: number): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // The response must still reach a client whose body is refused.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  request[BODY] = Buffer.concat(chunks, size);
  return request[BODY];
};
