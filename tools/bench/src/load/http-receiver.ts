/** An HTTP endpoint that accepts every POST and counts by path; it never responds on paths that hang. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleCommands } from './worker.js';

const counts = new Map<string, number>();
const hanging = new Set<string>();
const held = new Set<ServerResponse>();
let target: { readonly count: number; readonly without: string | undefined; reached: () => void } | undefined;
let arrived = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const path = request.url ?? '/';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (hanging.has(path)) {
      held.add(response);
      response.on('close', () => held.delete(response));
      return;
    }
    response.writeHead(204).end();
    if (path !== target?.without && ++arrived === target?.count) target.reached();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  handleCommands(
    {
      reset: () => {
        counts.clear();
        arrived = 0;
      },
      counts: () => Object.fromEntries(counts),
      hang: (path: string) => hanging.add(path),
      /** Resolves with the time of the last response after `count` responses since the reset. */
      until: (count: number) =>
        new Promise<number>(resolve => {
          const reached = () => {
            target = undefined;
            resolve(Date.now());
          };
          target = { count, without: undefined, reached };
          if (arrived >= count) reached();
        }),
      release: () => {
        hanging.clear();
        for (const response of held) response.writeHead(204).end();
      },
    },
    { port: (server.address() as AddressInfo).port },
  ),
);
