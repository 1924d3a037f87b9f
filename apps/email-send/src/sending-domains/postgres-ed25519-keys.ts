import { Injectable } from '@nestjs/common';
import { generateEd25519KeyPair } from '@postern/mail';
import { Database, type KeyRing } from '@postern/service-host';
import { type Ed25519Key, Ed25519Keys } from './ports.js';
import { type DkimKey, ed25519KeyRow } from './sending-domain.js';
import { FIND_ED25519_KEYS } from './sending-domains.sql.js';

/** Ed25519 keys in PostgreSQL. */
@Injectable()
export class PostgresEd25519Keys extends Ed25519Keys {
  constructor(private readonly database: Database) {
    super();
  }

  async find(rsaKeys: readonly DkimKey[]): Promise<readonly Ed25519Key[]> {
    const ids = rsaKeys.map(({ key_id }) => key_id);
    return (await this.database.pool.query<Ed25519Key>(FIND_ED25519_KEYS, [ids])).rows;
  }
}

/** The values of a new key beside an RSA key. */
export async function newEd25519Key(rsaKey: Omit<DkimKey, 'record'>, keys: KeyRing): Promise<string[]> {
  const { privateKey, record } = await generateEd25519KeyPair();
  const sealed = keys.seal(privateKey, ed25519KeyRow(rsaKey.key_id));
  return [rsaKey.key_id, `${rsaKey.selector}-ed25519`, record, sealed];
}
