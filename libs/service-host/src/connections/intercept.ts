import type { Server as HttpServer } from 'node:http';

type Listener = (...given: unknown[]) => void;

/** Calls `decide` before the listeners of an event; `pass` calls the listeners, immediately or later. */
export const intercept = <Given extends unknown[]>(
  server: HttpServer,
  event: 'connection' | 'request',
  decide: (given: Given, pass: () => void) => void,
): void => {
  const listeners = server.listeners(event) as Listener[];
  server.removeAllListeners(event);
  server.on(event, (...given: unknown[]) =>
    decide(given as Given, () => {
      for (const listener of listeners) listener.apply(server, given);
    }),
  );
};
