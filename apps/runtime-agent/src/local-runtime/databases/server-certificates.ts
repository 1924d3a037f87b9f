import { chmod, chown, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureAuthority, ensureServerCertificate } from '@postern/messaging/certificates';
import pLimit from 'p-limit';

/** Hosts of clients that connect through a tunnel. node-postgres checks `localhost` whenever the host is an address. */
const TUNNEL = ['localhost', '127.0.0.1'];

/** The certificates of database servers. One authority of this machine signs them all; each server has its own key. */
export class ServerCertificates {
  readonly #folder: string;
  /** Two calls at the same time would create two authorities. */
  readonly #oneAtATime = pLimit(1);

  constructor(
    databasesFolder: string,
    /** The host at which clients outside of the platform reach all servers; undefined if none do. */
    private readonly externalHost?: string,
  ) {
    this.#folder = join(databasesFolder, 'authority');
  }

  /**
   * Creates `server.crt` and `server.key` in the folder of the configuration of a server, or renews them before they expire and when
   * its host has changed. Returns whether the server has to read them again.
   * @param uid the user of the server, which may read the key but not replace it; undefined if it is the user of this process.
   */
  ensure(folder: string, host: string, uid: number | undefined): Promise<boolean> {
    return this.#oneAtATime(async () => {
      const authority = await ensureAuthority(this.#folder);
      const hosts = [host, ...TUNNEL, ...(this.externalHost === undefined ? [] : [this.externalHost])];
      const { key, renewed } = await ensureServerCertificate(authority, folder, [...new Set(hosts)]);
      if (uid !== undefined) {
        await chown(key, process.getuid!(), uid);
        await chmod(key, 0o640);
      }
      return renewed;
    });
  }

  /** The certificate of the authority (PEM), with which clients check those of the servers; undefined before there is a server. */
  authority(): Promise<string | undefined> {
    return readFile(join(this.#folder, 'ca.crt'), 'utf8').catch(() => undefined);
  }
}
