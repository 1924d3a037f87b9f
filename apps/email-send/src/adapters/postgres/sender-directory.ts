import { GroupCommit } from '@postern/event-sourcing';
import { DkimSigner } from '@postern/mail';
import type { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { type DefaultLimits, limitsOf, type ServiceLimits } from '../../domain/email-service.js';
import { type Sender, SenderDirectory } from '../../ports.js';
import { dkimKeyRow } from './dkim-key-store.js';

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
  readonly domains: readonly { readonly domain: string; readonly key: SigningKeyRow | null }[];
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
  /** By key id: a signer caches the parsed key, so it is kept over revisions. */
  readonly signers: ReadonlyMap<string, DkimSigner>;
}

const FIND_KEYS = `
  SELECT k.key_hash, k.id AS key_id, k.service_id, r.revision
  FROM api_keys k JOIN sender_revisions r ON r.service_id = k.service_id WHERE k.key_hash = ANY ($1::text[])`;

const LOAD_SENDER = `
  SELECT r.revision, s.workspace_id, s.mode, s.enabled, s.open_tracking, s.click_tracking, s.suppression, s.limits,
    s.daily_quota,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('domain', d.domain, 'key', CASE WHEN d.status <> 'pending' AND k.id IS NOT NULL
        THEN jsonb_build_object('id', k.id, 'selector', k.selector, 'sealed', k.sealed_private_key) END))
      FROM sending_domains d LEFT JOIN dkim_keys k ON k.id = (d.dkim->>'key_id')::uuid WHERE d.service_id = s.id
    ), '[]') AS domains,
    ARRAY(SELECT address FROM verified_recipients v WHERE v.service_id = s.id AND v.status = 'verified') AS recipients
  FROM email_services s JOIN sender_revisions r ON r.service_id = s.id WHERE s.id = $1`;

/** More services than this in one process are read again now and then. */
const MAX_KNOWN = 10_000;

/**
 * Every lookup asks the database, concurrent ones in one query: which service the key belongs to and at which revision
 * that stands. What a revision holds is remembered, so that a lookup costs one indexed row and no parsing.
 */
export class PostgresSenderDirectory extends SenderDirectory {
  readonly #lookUps: GroupCommit<string, KeyRow | undefined>;
  readonly #known = new Map<string, KnownSender>();
  readonly #loading = new Map<string, Promise<KnownSender | undefined>>();
  #usedKeys = new Map<string, Date>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly keys: KeyRing,
    private readonly defaults: DefaultLimits,
  ) {
    super();
    this.#lookUps = new GroupCommit({ flush: hashes => this.#findKeys(hashes) });
  }

  async findByKeyHash(keyHash: string): Promise<Sender | undefined> {
    const key = await this.#lookUps.submit(keyHash);
    if (!key) return undefined;
    this.#usedKeys.set(key.key_id, new Date());
    return (await this.#at(key.service_id, key.revision))?.sender;
  }

  async signerFor(serviceId: string, domain: string): Promise<DkimSigner | undefined> {
    const { rows } = await this.pool.query<{ revision: string }>({
      name: 'sender-revision',
      text: 'SELECT revision FROM sender_revisions WHERE service_id = $1',
      values: [serviceId],
    });
    const revision = rows[0]?.revision;
    return revision === undefined
      ? undefined
      : (await this.#at(serviceId, revision))?.sender.verifiedDomains.get(domain);
  }

  /** Notes when keys were used last; called on a timer, away from the sends. */
  async flushUses(): Promise<void> {
    const used = this.#usedKeys;
    if (used.size === 0) return;
    this.#usedKeys = new Map();
    await this.pool.query(
      `INSERT INTO api_key_uses AS u (key_id, last_used_at)
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (id, at) ORDER BY id
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
      [[...used.keys()], [...used.values()]],
    );
  }

  async #findKeys(hashes: readonly string[]): Promise<(KeyRow | undefined)[]> {
    const { rows } = await this.pool.query<KeyRow>({ name: 'sender-keys', text: FIND_KEYS, values: [hashes] });
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
    const { rows } = await this.pool.query<SenderRow>({ name: 'sender', text: LOAD_SENDER, values: [serviceId] });
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
    const verifiedDomains = new Map<string, DkimSigner>();
    for (const { domain, key } of row.domains) {
      if (!key) continue;
      const signer = parsed.get(key.id) ?? this.#signer(domain, key);
      signers.set(key.id, signer);
      verifiedDomains.set(domain, signer);
    }
    const dailyQuota = row.daily_quota ?? undefined;
    const { daily, perMinute } = limitsOf({ mode: row.mode, limits: row.limits, dailyQuota }, this.defaults);
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
        verifiedDomains,
        registeredDomains: new Set(row.domains.map(({ domain }) => domain)),
        verifiedRecipients: new Set(row.recipients),
      },
    };
  }

  #signer(domain: string, { id, selector, sealed }: SigningKeyRow): DkimSigner {
    return new DkimSigner({ domain, selector, privateKey: this.keys.open(sealed, dkimKeyRow(id)) });
  }
}
