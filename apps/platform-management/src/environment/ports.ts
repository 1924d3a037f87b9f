import { Streams } from '@postern/event-sourcing';
import type { PlatformKeyScope } from '../platform-keys/platform-key.js';
import type { Collection, NewValue, Scope } from './named-values.js';

/** The streams of platform keys and projects, whose writers see their own writes in the read models. */
export abstract class ResourceStreams extends Streams {}

export interface ValueToSet extends NewValue {
  readonly value: string;
}

/** Variables and secrets: their events, and their values beside them, both or neither. */
export abstract class ValueLedger {
  /** All or nothing. Answers, in their order, under which id each is kept and whether its key is new. */
  abstract set(collection: Collection, ownerId: string, values: readonly ValueToSet[]): Promise<readonly SetValue[]>;
  /** Refuses with what the collection calls a value that is not there. */
  abstract delete(collection: Collection, ownerId: string, valueId: string): Promise<void>;
}

export interface SetValue {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | undefined;
  readonly isSecret: boolean;
  readonly created: boolean;
}

/** Values at rest under older keys than the first one. */
export abstract class SealedValues {
  /** Seals up to `limit` of them again under the first key, in the order of their ids, from `after` on. */
  abstract reseal(limit: number, after: string | undefined): Promise<Resealed>;
}

export interface Resealed {
  /** Where to go on; undefined when nothing was left. */
  readonly last: string | undefined;
  /** Ids of values that do not open: their key is not configured, or they were changed. They stay as they are. */
  readonly unopened: readonly string[];
}

/** Refuses what belongs to somebody else as if it did not exist. */
export abstract class Ownership {
  /** Refuses with `project_not_found`. */
  abstract ofProject(userId: string, projectId: string): Promise<void>;
  /** Refuses with `web_service_not_found`. */
  abstract ofWebService(userId: string, webServiceId: string): Promise<void>;
}

/** A platform key that has neither expired nor been revoked. */
export interface AdmittedKey {
  readonly id: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly keyPrefix: string;
  readonly scope: PlatformKeyScope;
  readonly expiresAt: Date | undefined;
}

/** One call with a key, as counted over all replicas; `used` includes it. */
export interface CountedCall {
  readonly key: AdmittedKey;
  readonly used: number;
  /** Seconds until the count begins anew. */
  readonly resetS: number;
}

/** Recognises keys and counts their calls. */
export abstract class PlatformCalls {
  /** Undefined for a key that is unknown, revoked or expired; nothing is counted then, nor where `counts` is false. */
  abstract admit(keyHash: string, counts: boolean): Promise<CountedCall | undefined>;
  /** Notes when keys were last used; on a timer, away from the calls. What could not be noted is kept for the next. */
  abstract flushUses(): Promise<void>;
}

/** One variable or secret; `value` is undefined for a secret one. */
export interface NamedValueReading {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | undefined;
  readonly isSecret: boolean;
  readonly value: string | undefined;
}

/** What a web service or a project has been given, by key. */
export abstract class NamedValueReadings {
  abstract of(ownerId: string): Promise<readonly NamedValueReading[]>;
}
