import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import pg from 'pg';

/** What the client library has, but its types do not declare. */
interface Internals {
  readonly connection: { readonly stream: unknown; emit(event: 'error', error: Error): boolean };
  readonly host: string;
  readonly saslSession?: unknown;
}

type Handler = (this: object, ...parameters: unknown[]) => unknown;

const inherited = pg.Client.prototype as unknown as Readonly<Record<string, Handler | undefined>>;

const isVerified = ({ connection: { stream }, host }: Internals): boolean =>
  host.startsWith('/') || (stream instanceof TLSSocket && stream.authorized);

/** @throws if a new version of the library handles authentication elsewhere, because its requests would be answered. */
const parentOf = (name: string): Handler => {
  const handler = inherited[name];
  if (!handler) throw new Error(`this version of pg has no ${name}`);
  return handler;
};

const refusal = (what: string): Error =>
  new Error(
    `the server that answers as PostgreSQL ${what}, and it has not proved its identity: use scram-sha-256 in pg_hba.conf, or sslmode=verify-full and sslrootcert in the URL`,
  );

/**
 * A client that proves a password only by SCRAM, in which the server proves that it knows the password too. Another process on
 * the port of PostgreSQL could otherwise ask for the password in clear text or as MD5, or ask for none and receive queries. Over a
 * Unix socket, whose folder decides who the server is, and over TLS with a verified certificate, the server may decide.
 */
export class VerifyingClient extends pg.Client {
  #hasServerProof = false;

  private refuse(what: string): void {
    const { connection } = this as unknown as Internals;
    connection.emit('error', refusal(what));
    if (connection.stream instanceof Socket) connection.stream.destroy();
  }

  private handle(name: string, parameters: unknown[], what: string): void {
    if (isVerified(this as unknown as Internals)) parentOf(name).apply(this, parameters);
    else this.refuse(what);
  }

  protected _handleAuthCleartextPassword(...parameters: unknown[]): void {
    this.handle('_handleAuthCleartextPassword', parameters, 'asks for the password in clear text');
  }

  protected _handleAuthMD5Password(...parameters: unknown[]): void {
    this.handle('_handleAuthMD5Password', parameters, 'asks for the password as MD5');
  }

  protected _handleAuthSASLFinal(...parameters: unknown[]): void {
    const internals = this as unknown as Internals;
    const hadSession = Boolean(internals.saslSession);
    parentOf('_handleAuthSASLFinal').apply(this, parameters);
    // The library ends its session only if the signature of the server is right.
    this.#hasServerProof = hadSession && !internals.saslSession;
  }

  protected _handleReadyForQuery(...parameters: unknown[]): void {
    const isProved = this.#hasServerProof || !this.password || isVerified(this as unknown as Internals);
    if (isProved) parentOf('_handleReadyForQuery').apply(this, parameters);
    else this.refuse('asks for no password');
  }
}
