import type { IncomingMessage, ServerResponse } from 'node:http';

/** Passes a request to the server of its cell; `pass` leaves it to the server that has received it. */
export type CellRoute = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void;

/** A property of the request: why no cell was found. */
const FAILURE = Symbol('routing failure');

type Routed = IncomingMessage & { [FAILURE]?: unknown };

/** Lets the server that has received the request answer it with this error. */
export const setRoutingFailure = (request: Routed, failure: unknown): void => {
  request[FAILURE] = failure;
};

export const routingFailureOf = (request: Routed): unknown => request[FAILURE];
