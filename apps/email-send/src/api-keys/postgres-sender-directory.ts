import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@postern/event-sourcing';
import { DkimSigner } from '@postern/mail';
import { Database, Every, KeyRing } from '@postern/service-host';
import { LimitDefaults } from '../email-services/limit-defaults.js';
import { limitsOf, type ServiceLimits } from '../email-services/service-limits.js';
import { type VerifiedDomain } from '../relay/ports.js';
import { returnPathName } from '../sending-domains/domain-records.js';
import { dkimKeyRow, ed25519KeyRow } from '../sending-domains/sending-domain.js';
import { type Sender, SenderDirectory } from './ports.js';

/** The services of API keys, with the revision of the data that sending needs. */
export const FIND_KEYS = `
  SELECT k.key_hash, k.id AS key_id, k.service_id, r.revision
  FROM api_keys k JOIN sender_revisions r ON r.service_id = k.service_id WHERE k.key_hash = ANY ($1::text[])`;

/** The current revision of a service. */
export const FIND_REVISION = 'SELECT revision FROM sender_revisions WHERE service_id = $1';

/**
 * The data about a service that sending needs. While the read model still names a retired, deleted key, the next key signs.
 */
export const LOAD_SENDER = `
  SELECT r.revision, s.workspace_id, s.mode, s.enabled, s.open_tracking, s.click_tracking, s.suppression, s.limits,
    s.daily_quota,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'key', CASE WHEN d.status <> 'pending' AND k.id IS NOT NULL
        THEN jsonb_build_object('id', k.id, 'selector', k.selector, 'sealed', k.sealed_private_key) END,
        'ed25519', CASE WHEN seen.ed25519
        THEN jsonb_build_object('id', e.rsa_key_id, 'selector', e.selector, 'sealed', e.sealed_private_key) END,
        'has_return_path', seen.return_path,
        'tracking_host', CASE WHEN d.tracking_status = 'verified' THEN d.tracking_host END))
      FROM sending_domains d LEFT JOIN LATERAL (
        SELECT * FROM dkim_keys
        WHERE id IN ((d.dkim->>'key_id')::uuid, (d.next_dkim->>'key_id')::uuid)
        ORDER BY id <> (d.dkim->>'key_id')::uuid LIMIT 1
      ) k ON true LEFT JOIN dkim_ed25519_keys e ON e.rsa_key_id = k.id
      CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(purpose = 'dkim_ed25519' AND name = e.selector || '._domainkey.' || d.domain), false)
            AS ed25519, coalesce(bool_or(purpose = 'return_path'), false) AS return_path
        FROM jsonb_to_recordset(d.records) AS record (purpose text, name text, ok boolean) WHERE ok
      ) seen WHERE d.service_id = s.id
    ), '[]') AS domains,
    ARRAY(SELECT address FROM verified_recipients v WHERE v.service_id = s.id AND v.status = 'verified') AS recipients
  FROM email_services s JOIN sender_revisions r ON r.service_id = s.id WHERE s.id = $1`;

/** Records when keys were last used. */
export const SAVE_USES = `
  INSERT INTO api_key_uses AS u (key_id, last_used_at)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) ORDER BY id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`;

interface KeyRow {
  readonly key_hash: string;
  readonly key_id: string;
  readonly service_id: string;
  readonly revision: string;
}

interface SenderRow {
  readonly revision: string;
  readonly workspace_id: string;
  readonly mode: 'sandbox' | 'production';
  readonly enabled: boolean;
  readonly open_tracking: boolean;
  readonly click_tracking: boolean;
  readonly suppression: boolean;
  readonly limits: ServiceLimits;
  readonly daily_quota: number | null;
  readonly domains: readonly {
    readonly domain: string;
    readonly key: SigningKeyRow | null;
    readonly ed25519: SigningKeyRow | null;
    readonly has_return_path: boolean;
    readonly tracking_host: string | null;
  }[];
  readonly recipients: readonly string[];
}

interface SigningKeyRow {
  readonly id: string;
  readonly selector: string;
  readonly sealed: string;
}

interface KnownSender {
  readonly revision: string;
  readonly sender: Sender;
  /** By row of the key. Signers cache the parsed key, so they are reused across revisions. */
  readonly signers: ReadonlyMap<string, DkimSigner>;
}

/** Senders cached per process. */
const MAX_KNOWN = 10_000;

/**
 * Reads the service and its revision from the database at every lookup, concurrent lookups in one query. The contents of a
 * revision are cached, so that a lookup costs one indexed row and no parsing.
 */
@Injectable()
export class PostgresSenderDirectory extends SenderDirectory {
  readonly #lookups: GroupCommit<string, KeyRow | undefined>;
  readonly #known = new Map<string, KnownSender>();
  readonly #loading = new Map<string, Promise<KnownSender | undefined>>();
  #usedKeys = new Map<string, Date>();

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly defaults: LimitDefaults,
  ) {
    super();
    this.#lookups = new GroupCommit({ flush: hashes => this.#findKeys(hashes) });
  }

  async findByKeyHash(keyHash: string): Promise<Sender | undefined> {
    const key = await this.#lookups.submit(keyHash);
    if (!key) return undefined;
    this.#usedKeys.set(key.key_id, new Date());
    return (await this.#at(key.service_id, key.revision))?.sender;
  }

  async findByService(serviceId: string): Promise<Sender | undefined> {
    const { rows } = await this.database.pool.query<{ revision: string }>({
      name: 'sender-revision',
      text: FIND_REVISION,
      values: [serviceId],
    });
    const revision = rows[0]?.revision;
    return revision === undefined ? undefined : (await this.#at(serviceId, revision))?.sender;
  }

  /** Writes when keys were last used, in the background, so that sending does not wait for it. */
  @Every(30_000, 'record the last use of API keys')
  async flushUses(): Promise<void> {
    const used = this.#usedKeys;
    if (used.size === 0) return;
    this.#usedKeys = new Map();
    await this.database.pool.query(SAVE_USES, [[...used.keys()], [...used.values()]]);
  }

  async #findKeys(hashes: readonly string[]): Promise<(KeyRow | undefined)[]> {
    const { rows } = await this.database.pool.query<KeyRow>({ name: 'sender-keys', text: FIND_KEYS, values: [hashes] });
    const byHash = new Map(rows.map(row => [row.key_hash, row]));
    return hashes.map(hash => byHash.get(hash));
  }

  async #at(serviceId: string, revision: string): Promise<KnownSender | undefined> {
    const known = this.#known.get(serviceId);
    if (known?.revision === revision) return known;
    const flight = `${serviceId} ${revision}`;
    const loading = this.#loading.get(flight) ?? this.#load(serviceId).finally(() => this.#loading.delete(flight));
    this.#loading.set(flight, loading);
    return loading;
  }

  async #load(serviceId: string): Promise<KnownSender | undefined> {
    const { rows } = await this.database.pool.query<SenderRow>({
      name: 'sender',
      text: LOAD_SENDER,
      values: [serviceId],
    });
    const before = this.#known.get(serviceId);
    this.#known.delete(serviceId);
    if (!rows[0]) return undefined;
    const known = this.#read(serviceId, rows[0], before?.signers);
    this.#known.set(serviceId, known);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }

  #read(serviceId: string, row: SenderRow, parsed: ReadonlyMap<string, DkimSigner> = new Map()): KnownSender {
    const signers = new Map<string, DkimSigner>();
    const verifiedDomains = new Map<string, VerifiedDomain>();
    for (const { domain, key, ed25519, has_return_path, tracking_host } of row.domains) {
      if (!key) continue;
      const rows = [dkimKeyRow(key.id), ...(ed25519 ? [ed25519KeyRow(key.id)] : [])];
      for (const [at, name] of rows.entries()) {
        signers.set(name, parsed.get(name) ?? this.#signer(domain, name, at === 0 ? key : ed25519!));
      }
      verifiedDomains.set(domain, {
        signers: rows.map(name => signers.get(name)!),
        ...(has_return_path ? { returnPathDomain: returnPathName(domain) } : {}),
        ...(tracking_host === null ? {} : { trackingHost: tracking_host }),
      });
    }
    const dailyQuota = row.daily_quota ?? undefined;
    const { daily, perMinute, sharedDaily } = limitsOf(
      { mode: row.mode, limits: row.limits, dailyQuota },
      this.defaults,
    );
    return {
      revision: row.revision,
      signers,
      sender: {
        serviceId,
        workspaceId: row.workspace_id,
        enabled: row.enabled,
        mode: row.mode,
        openTracking: row.open_tracking,
        clickTracking: row.click_tracking,
        suppression: row.suppression,
        perMinuteLimit: perMinute,
        dailyLimit: daily,
        sharedDailyLimit: sharedDaily,
        verifiedDomains,
        registeredDomains: new Set(row.domains.map(({ domain }) => domain)),
        verifiedRecipients: new Set(row.recipients),
      },
    };
  }

  #signer(domain: string, row: string, { selector, sealed }: SigningKeyRow): DkimSigner {
    return new DkimSigner({ domain, selector, privateKey: this.keys.open(sealed, row) });
  }
}
