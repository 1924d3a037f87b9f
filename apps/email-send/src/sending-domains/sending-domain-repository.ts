import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Append, ConcurrencyConflict, type DomainEvent, fold, type Position } from '@postern/event-sourcing';
import { appendAll, CommandTransactions, inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { dkimRecord, generateDkimKeyPair, generateEd25519KeyPair } from '@postern/mail';
import { EventSourcing, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { emailService, emailServiceStream } from '../email-services/email-service.js';
import { LimitDefaults } from '../email-services/limit-defaults.js';
import type { RecordState } from './domain-records.js';
import {
  type DkimKey,
  dkimKeyRow,
  type Ed25519Key,
  ed25519KeyRow,
  nextCheckAfterS,
  type SendingDomain,
  type SendingDomainEvent,
  sendingDomain,
  sendingDomainStream,
} from './sending-domain.js';
import {
  CLAIM_DUE_CHECKS,
  DELETE_CHECK,
  DELETE_DKIM_KEYS,
  FIND_ED25519_KEYS,
  INSERT_CHECK,
  INSERT_DKIM_KEY,
  INSERT_ED25519_KEY,
  READ_STREAMS,
  RECORD_CHECK,
  SCHEDULE_CHECK_NOW,
} from './sending-domains.sql.js';

/** Identifies a sending domain that is to be added. */
export interface NewSendingDomain {
  readonly serviceId: string;
  readonly domainId: string;
  readonly domain: string;
}

/** The DNS records of a domain as one check read them. */
export interface DomainCheck {
  readonly serviceId: string;
  readonly domainId: string;
  readonly records: readonly RecordState[];
  readonly at: Date;
}

export interface DueDomain {
  readonly serviceId: string;
  readonly domainId: string;
}

const SELECTOR_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

interface NewKey {
  readonly dkim: DkimKey;
  readonly sealed: string;
  /** The values of the Ed25519 key beside it. */
  readonly ed25519: readonly string[];
}

interface RecordedCheck {
  readonly state: SendingDomain;
  readonly events: readonly DomainEvent[];
  readonly position: Position | undefined;
}

/**
 * Writes sending domains: each method is one transaction over events, DKIM keys, check schedule and the mode of the email
 * service, and returns once the read models show it. Private keys are sealed, bound to their rows, and never leave
 * email-send.
 */
@Injectable()
export class SendingDomainRepository {
  constructor(
    private readonly eventSourcing: EventSourcing,
    private readonly transactions: CommandTransactions,
    private readonly keys: KeyRing,
    private readonly defaults: LimitDefaults,
  ) {}

  /** Adds a domain with a new key. Refuses with `domain_exists`. */
  async add({ serviceId, domainId, domain }: NewSendingDomain, at: Date): Promise<void> {
    const key = await this.#newKey();
    await this.transactions.execute({
      decider: sendingDomain,
      streamId: sendingDomainStream(domainId),
      command: { kind: 'add', serviceId, domainId, domain, dkim: key.dkim, at: at.toISOString() },
      write: async client => {
        await client.query(INSERT_CHECK, [domainId]);
        await insertKey(client, domainId, key);
      },
    });
  }

  /** Adds a second key and schedules a check for now. Refuses with `rotation_under_way` or `domain_not_found`. */
  async rotateKey(domainId: string, at: Date): Promise<void> {
    const key = await this.#newKey();
    await this.transactions.execute({
      decider: sendingDomain,
      streamId: sendingDomainStream(domainId),
      command: { kind: 'rotate', dkim: key.dkim, at: at.toISOString() },
      write: async client => {
        await insertKey(client, domainId, key);
        await client.query(SCHEDULE_CHECK_NOW, [domainId]);
      },
    });
  }

  /** Sets or removes the tracking host and schedules a check for now. Refuses with `invalid_input` or `domain_not_found`. */
  async setTrackingHost(domainId: string, host: string | null, at: Date): Promise<void> {
    await this.transactions.execute({
      decider: sendingDomain,
      streamId: sendingDomainStream(domainId),
      command: { kind: 'set-tracking-host', host, at: at.toISOString() },
      write: client => client.query(SCHEDULE_CHECK_NOW, [domainId]),
    });
  }

  /** The Ed25519 keys beside RSA keys, in their order. Adds those of domains that were added before such keys existed. */
  async ed25519KeysOf(rsaKeys: readonly DkimKey[]): Promise<readonly Ed25519Key[]> {
    const known = await this.#findEd25519Keys(rsaKeys);
    const missing = rsaKeys.filter(({ key_id }) => !known.some(({ rsa_key_id }) => rsa_key_id === key_id));
    if (missing.length === 0) return known;
    const { pool } = this.eventSourcing.store;
    for (const key of missing) await pool.query(INSERT_ED25519_KEY, await newEd25519Key(key, this.keys));
    return this.#findEd25519Keys(rsaKeys);
  }

  /** Claims domains whose check is due, each for one caller and two minutes. A new domain is due at once. */
  async claimDue(atMost: number): Promise<readonly DueDomain[]> {
    return (await this.eventSourcing.store.pool.query<DueDomain>(CLAIM_DUE_CHECKS, [atMost])).rows;
  }

  /** Removes a domain with its keys, its schedule and the reports about it. Refuses with `domain_not_found`. */
  async remove(domainId: string, at: Date): Promise<void> {
    await this.transactions.execute({
      decider: sendingDomain,
      streamId: sendingDomainStream(domainId),
      command: { kind: 'remove', at: at.toISOString() },
      write: client => client.query(DELETE_CHECK, [domainId]),
    });
  }

  /**
   * Records the result of a check and its consequences: status, key rotation, and the move of the email service to
   * production. Schedules the next check. Returns the new state; for a removed domain the initial one.
   */
  async recordCheck(check: DomainCheck): Promise<SendingDomain> {
    const { store, waitUntil } = this.eventSourcing.writeOptions();
    const { state, events, position } = await inTransaction(store.pool, client => this.#recordCheck(client, check));
    if (position) store.announce(events);
    await waitUntil(position);
    return state;
  }

  /** Locks both streams at once, so that two checks never wait for each other. */
  async #recordCheck(client: pg.ClientBase, { serviceId, domainId, records, at }: DomainCheck): Promise<RecordedCheck> {
    const streams = [sendingDomainStream(domainId), emailServiceStream(serviceId)] as const;
    await lockStreams(client, streams);
    const [ofDomain, ofService] = await readStreams(client, streams);
    const before = fold(sendingDomain, ofDomain);
    if (before.id === undefined) {
      await client.query(DELETE_CHECK, [domainId]);
      return { state: before, events: [], position: undefined };
    }
    const seen = sendingDomain.decide({ kind: 'record-check', records, at: at.toISOString() }, before);
    const state = seen.reduce(sendingDomain.evolve, before);
    const moved = state.status === 'pending' ? [] : this.#moveToProduction(state, domainId, ofService, at);
    const position = await this.#append(client, [
      { streamId: streams[0], expectedVersion: ofDomain.length, events: seen },
      { streamId: streams[1], expectedVersion: ofService.length, events: moved },
    ]);
    await deleteRetiredKeys(client, seen);
    await client.query(RECORD_CHECK, [domainId, nextCheckAfterS(state)]);
    return { state, events: [...seen, ...moved], position };
  }

  #moveToProduction({ domain }: SendingDomain, domainId: string, history: readonly DomainEvent[], at: Date) {
    const dailyStart = this.defaults.productionDailyStart;
    const command = { kind: 'domain-verified', domainId, domain, dailyStart, at: at.toISOString() } as const;
    return emailService.decide(command, fold(emailService, history));
  }

  /** The position of the last event; undefined when there is none. */
  async #append(client: pg.ClientBase, changes: readonly Omit<Append, 'metadata'>[]): Promise<Position | undefined> {
    const metadata = this.eventSourcing.writeOptions().metadata();
    const appends = changes.filter(({ events }) => events.length > 0).map(change => ({ ...change, metadata }));
    let position: Position | undefined;
    for (const appended of await appendAll(client, appends)) {
      if (appended instanceof ConcurrencyConflict) throw appended;
      position = appended.position;
    }
    return position;
  }

  async #findEd25519Keys(rsaKeys: readonly DkimKey[]): Promise<readonly Ed25519Key[]> {
    const ids = rsaKeys.map(({ key_id }) => key_id);
    return (await this.eventSourcing.store.pool.query<Ed25519Key>(FIND_ED25519_KEYS, [ids])).rows;
  }

  async #newKey(): Promise<NewKey> {
    const { privateKey } = await generateDkimKeyPair();
    const key_id = uuidv7();
    // Several services may sign for one domain, and a rotation has two keys: each key has its own selector.
    const letters = Array.from({ length: 8 }, () => SELECTOR_LETTERS[randomInt(SELECTOR_LETTERS.length)]);
    const dkim = { key_id, selector: `postern-${letters.join('')}`, record: dkimRecord(privateKey) };
    const sealed = this.keys.seal(privateKey, dkimKeyRow(key_id));
    return { dkim, sealed, ed25519: await newEd25519Key(dkim, this.keys) };
  }
}

/** The values of a new key beside an RSA key. */
async function newEd25519Key(rsaKey: Omit<DkimKey, 'record'>, keys: KeyRing): Promise<string[]> {
  const { privateKey, record } = await generateEd25519KeyPair();
  const sealed = keys.seal(privateKey, ed25519KeyRow(rsaKey.key_id));
  return [rsaKey.key_id, `${rsaKey.selector}-ed25519`, record, sealed];
}

const insertKey = async (client: pg.ClientBase, domainId: string, { dkim, sealed, ed25519 }: NewKey): Promise<void> => {
  await client.query(INSERT_DKIM_KEY, [dkim.key_id, domainId, dkim.selector, sealed]);
  await client.query(INSERT_ED25519_KEY, [...ed25519]);
};

/** Until the read model shows a rotation, `PostgresSenderDirectory` already signs with the next key. */
const deleteRetiredKeys = async (client: pg.ClientBase, events: readonly SendingDomainEvent[]): Promise<void> => {
  const retired = events.flatMap(event =>
    event.type === 'email-send.dkim-key-rotated.v1' ? [event.data.retired_key_id] : [],
  );
  if (retired.length > 0) await client.query(DELETE_DKIM_KEYS, [retired]);
};

const readStreams = async (
  client: pg.ClientBase,
  [first, second]: readonly [string, string],
): Promise<readonly [readonly DomainEvent[], readonly DomainEvent[]]> => {
  const { rows } = await client.query<DomainEvent & { readonly stream_id: string }>(READ_STREAMS, [[first, second]]);
  const of = (stream: string) => rows.filter(({ stream_id }) => stream_id === stream);
  return [of(first), of(second)];
};
