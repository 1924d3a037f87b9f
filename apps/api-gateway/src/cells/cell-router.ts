import { hash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { BlockList } from 'node:net';
import { KIB } from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import { clientNetworkOf, KeyedSlots } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { credentialHashOf } from '../infrastructure/http/access/credential-hash.js';
import type { SessionCookies } from '../infrastructure/http/access/session-cookie.js';
import { type ClientBudgets, tooManyRequests } from '../infrastructure/http/admission/client-budgets.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { type CellRoute, setRoutingFailure } from '../infrastructure/http/server/cell-route.js';
import { rawClientAddressOf } from '../infrastructure/http/server/client-address.js';
import { readEarly } from '../infrastructure/http/server/early-body.js';
import { ReceivedBody, readJson } from '../infrastructure/http/validation/received-body.js';
import { CellUnreachable } from '../infrastructure/service-client/ports.js';
import type { Cell } from './cell.js';
import type { CellConnection } from './cell-connection.js';
import { credentialOf, type LocatingField, linkReaderOf, locatingFieldOf } from './request-cell.js';

/** Number of searches per client at a time, as for credentials that no service has accepted. */
const SEARCHES_AT_ONCE = { running: 8, waiting: 1_000 };
/** The longest body of a request that is located by it. */
const MAX_BODY_BYTES = 4 * KIB;

/** Passes each request to the server of its cell, before anything else reads it. */
export class CellRouter {
  readonly #servers = new Map<Cell, Server>();
  readonly #searches = new KeyedSlots(SEARCHES_AT_ONCE);

  constructor(
    private readonly connection: Pick<CellConnection, 'cells' | 'home'>,
    private readonly budgets: ClientBudgets,
    private readonly cookies: SessionCookies,
    private readonly trustedProxies: BlockList,
  ) {}

  /** The server for the requests of a cell. */
  add(cell: Cell, server: Server): void {
    this.#servers.set(cell, server);
  }

  /** For the server of the home cell, which receives all requests. */
  readonly route: CellRoute = (request, response, pass) => {
    const deliver = (cell: Cell | undefined) => {
      if (!cell || cell === this.connection.home) return pass();
      const server = this.#servers.get(cell);
      if (server) server.emit('request', request, response);
      else fail(new CellUnreachable(cell.name, new ServiceUnavailable('postern', 'disconnected', false)));
    };
    const fail = (error: unknown) => {
      setRoutingFailure(request, error);
      pass();
    };
    const cell = this.#cellOf(request, () => {
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    });
    if (!(cell instanceof Promise)) return deliver(cell);
    cell.then(deliver, fail);
  };

  /** Undefined for a request that every cell answers in the same way. */
  #cellOf(request: IncomingMessage, mayRead: () => void): Cell | undefined | Promise<Cell | undefined> {
    const isLink = linkReaderOf(request);
    if (isLink) return this.connection.cells.all.find(({ tokens }) => isLink(tokens));
    const field = locatingFieldOf(request);
    if (field) return this.#searched(request, () => this.#cellOfBody(request, field, mayRead));
    const credential = credentialOf(request, this.cookies.sessionOf(request));
    if (!credential) return undefined;
    const secretHash = credentialHashOf(request, credential.secret);
    return (
      this.connection.cells.knownCellOf(secretHash) ??
      this.#searched(request, () =>
        this.connection.cells.cellOf(credential.kind, secretHash, { correlationId: uuidv7() }),
      )
    );
  }

  /** A search spends the budget of its client while it runs, like a credential that no service has accepted. */
  #searched(
    request: IncomingMessage,
    search: () => Cell | undefined | Promise<Cell | undefined>,
  ): Promise<Cell | undefined> {
    const client = clientNetworkOf(rawClientAddressOf(request, this.trustedProxies));
    const limited = async () => {
      this.budgets.spend('client', client);
      try {
        return await search();
      } finally {
        this.budgets.refund('client', client);
      }
    };
    return this.#searches.run(client, limited, () => tooManyRequests(1));
  }

  async #cellOfBody(
    request: IncomingMessage,
    { kind, field }: LocatingField,
    mayRead: () => void,
  ): Promise<Cell | undefined> {
    mayRead();
    const bytes = await readEarly(request, MAX_BODY_BYTES);
    if (!bytes) throw new Problem(413, 'The body is larger than 4 KiB.', { connection: 'close' });
    const value = fieldOf(new ReceivedBody(bytes, request.headers['content-type'] ?? '', undefined), field);
    if (value === undefined) return undefined;
    const located = kind === 'email' ? value : hash('sha256', value);
    return this.connection.cells.cellOf(kind, located, { correlationId: uuidv7() });
  }
}

/** Undefined for a body that its route refuses. */
const fieldOf = (body: ReceivedBody, field: string): string | undefined => {
  try {
    const value: unknown = Reflect.get(readJson(body) as object, field);
    return typeof value === 'string' && value.length <= 320 ? value : undefined;
  } catch {
    return undefined;
  }
};
