import type { finding } from '@postern/contracts';
import type { ErasableEvent } from '@postern/event-sourcing/postgres';
import type { z } from 'zod';
import type { Redaction } from './redaction.js';

export type Finding = z.output<typeof finding>;

export interface PersonalErasure extends Redaction {
  /** Any JSON value without the address; undefined where it was not in there. */
  readonly redact: (value: unknown) => unknown;
  /** The events that told of the person, as they were. */
  readonly events: readonly ErasableEvent[];
}

/** What a service keeps of recipients beside its events and the read models that are folded from them. */
export abstract class PersonalData {
  /** Removes it, or makes it unreadable. @returns how many rows of which kind. */
  abstract erase(erasure: PersonalErasure): Promise<Readonly<Record<string, number>>>;
}

/** What a service stands on beside its database, looked at for an operator. */
export abstract class Diagnosis {
  abstract findings(): Promise<readonly Finding[]>;
}
