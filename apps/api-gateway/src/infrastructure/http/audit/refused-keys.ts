import type { AuditRecord } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';

const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum number of entries with a network that a gateway stores per hour, separately for known and unknown keys. */
const MAX_PER_HOUR = 500;

interface Group {
  readonly entry: AuditRecord;
  readonly context: RequestContext;
  /** Refusals that are not stored yet. */
  times: number;
}

/** Stores an entry of the audit log. Never rejects. */
type Store = (entry: AuditRecord, context: RequestContext) => Promise<void>;

/**
 * Stores refused keys of one kind in the audit log: the first of a minute immediately, the others of that minute as one
 * entry, and beyond 500 entries per hour without a network, so that an attacker cannot fill the log.
 */
export class RefusedKeys {
  #groups = new Map<string, Group>();
  #stored = { known: 0, unknown: 0 };
  #hourEndsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(
    private readonly store: Store,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one refusal. */
  add(entry: AuditRecord, context: RequestContext): void {
    const kind = [entry.code, entry.actor.id, entry.client.network].join(' ');
    const group = this.#groups.get(kind);
    if (group) group.times += 1;
    else if (this.#spend(entry)) {
      this.#groups.set(kind, { entry, context, times: 0 });
      void this.store(entry, context);
    } else this.#addToOthers(entry, context);
    this.#timer ??= setTimeout(() => void this.flush(), WINDOW_MS).unref();
  }

  /** Stores the counted refusals. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const groups = [...this.#groups.values()].filter(({ times }) => times > 0);
    this.#groups = new Map();
    await Promise.all(
      groups.map(({ entry, context, times }) => this.store({ ...entry, entry_id: uuidv7(), times }, context)),
    );
  }

  #addToOthers(entry: AuditRecord, context: RequestContext): void {
    const others = this.#groups.get('');
    if (others) others.times += 1;
    else this.#groups.set('', { entry: ofOthers(entry), context, times: 1 });
  }

  /** Each group can store two entries: its first refusal, and the others of its minute. */
  #spend({ actor }: AuditRecord): boolean {
    const now = this.now();
    if (now >= this.#hourEndsAt) {
      this.#hourEndsAt = now + HOUR_MS;
      this.#stored = { known: 0, unknown: 0 };
    }
    const kind = actor.id === null ? 'unknown' : 'known';
    if (this.#stored[kind] + 2 > MAX_PER_HOUR) return false;
    this.#stored[kind] += 2;
    return true;
  }
}

const ofOthers = (entry: AuditRecord): AuditRecord => ({
  ...entry,
  actor: { type: 'unknown', id: null },
  resource: { ...entry.resource, id: null },
  workspace_id: null,
  client: { network: null, user_agent: null },
  code: 'many_refused_keys',
});
