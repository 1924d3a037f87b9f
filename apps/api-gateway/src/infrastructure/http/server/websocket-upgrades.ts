import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Maximum size of a frame from a client. */
const MAX_FRAME_BYTES = 64 * 1024;
const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });

/** Whether a request asks for a WebSocket at a route that has one. Any other upgrade is ignored, as HTTP allows. */
export const isUpgrade = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  /^\/api\/v1\/web-services\/[^/?]+\/shell(\?|$)/.test(url);

/** Passes upgrades through the routes of the server, so that admission, limits and errors are those of any request. */
export const routeUpgrades = (server: Server): void => {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once('finish', () => socket.end());
    upgrades.set(request, { socket, head });
    server.emit('request', request, response);
  });
};

/** Whether the request can become a WebSocket. */
export const mayUpgrade = (request: IncomingMessage): boolean => upgrades.has(request);

/** Completes the handshake. Undefined if the request is no valid one; then it was answered. */
export const acceptUpgrade = async (request: IncomingMessage): Promise<WebSocket | undefined> => {
  const upgrade = upgrades.get(request);
  if (!upgrade) return undefined;
  upgrades.delete(request);
  const { socket, head } = upgrade;
  return new Promise(resolve => {
    socket.once('close', () => resolve(undefined));
    sockets.handleUpgrade(request, socket, head, resolve);
  });
};
