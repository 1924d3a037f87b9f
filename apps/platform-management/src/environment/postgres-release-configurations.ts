import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { type Configuration, ReleaseConfigurations } from '../web-services/ports.js';
import type { Scope } from './named-values.js';
import { sealedValueRow } from './postgres-sealed-values.js';
import { IS_SECRET, NEWER_SECRECY, streamsOf } from './value-secrecy.js';

interface ValueRow {
  readonly id: string;
  readonly key: string;
  readonly is_secret: boolean;
  readonly sealed: string;
}

/** Configurations of releases, each sealed as one value under the release's own id. */
export class SealedConfigurations extends ReleaseConfigurations {
  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  /** A service's own variable comes after the secret of the same key, and wins. */
  override async current(webServiceId: string, projectId: string, scope: Scope): Promise<Configuration> {
    const { rows } = await this.pool.query<ValueRow>(
      `WITH ${NEWER_SECRECY}
       SELECT v.id, v.key, ${IS_SECRET} AS is_secret, s.sealed
       FROM named_values v JOIN sealed_values s USING (id) LEFT JOIN newer USING (id)
       WHERE v.owner_id = $2 OR (v.owner_id = $3 AND v.scope = $4) ORDER BY v.owner_id = $2, v.key`,
      [[...streamsOf(webServiceId), ...streamsOf(projectId)], webServiceId, projectId, scope],
    );
    const values = new Map(
      rows.map(({ id, key, is_secret, sealed }) => [
        key,
        { value: this.keys.open(sealed, sealedValueRow(id)), isSecret: is_secret },
      ]),
    );
    return {
      environment: Object.fromEntries([...values].map(([key, { value }]) => [key, value])),
      secrets: [...values.values()].filter(({ isSecret }) => isSecret).map(({ value }) => value),
    };
  }

  override async seal(configurationId: string, configuration: Configuration): Promise<void> {
    await this.pool.query(
      `INSERT INTO sealed_values (id, sealed) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`,
      [configurationId, this.keys.seal(JSON.stringify(configuration), sealedValueRow(configurationId))],
    );
  }

  override async open(configurationId: string): Promise<Configuration> {
    const { rows } = await this.pool.query<{ sealed: string }>('SELECT sealed FROM sealed_values WHERE id = $1', [
      configurationId,
    ]);
    if (!rows[0]) throw new Error(`there is no configuration ${configurationId}`);
    return JSON.parse(this.keys.open(rows[0].sealed, sealedValueRow(configurationId))) as Configuration;
  }

  override async forget(configurationIds: readonly string[]): Promise<void> {
    await this.pool.query('DELETE FROM sealed_values WHERE id = ANY ($1::uuid[])', [configurationIds]);
  }
}
