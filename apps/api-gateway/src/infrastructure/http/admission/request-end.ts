import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Callbacks for the end of a connection, which may have many pipelined requests. */
const ends = new WeakMap<Socket, Set<() => void>>();

const endsOf = (socket: Socket): Set<() => void> => {
  const known = ends.get(socket);
  if (known) return known;
  const added = new Set<() => void>();
  ends.set(socket, added);
  socket.once('close', () => {
    for (const end of [...added]) end();
  });
  return added;
};

/** Calls `done` once when a request is answered or its connection is closed; immediately if it is already closed. */
export const onRequestEnd = ({ socket }: IncomingMessage, response: ServerResponse, done: () => void): void => {
  if (socket.destroyed) {
    done();
    return;
  }
  const open = endsOf(socket);
  const end = () => {
    if (open.delete(end)) done();
  };
  open.add(end);
  // A pipelined response that waits behind others may not be closed with its connection.
  response.once('close', end);
};
