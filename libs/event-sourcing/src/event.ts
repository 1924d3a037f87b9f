/** An event as a decider returns it: a type in the past tense and its data as plain JSON. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** The origin of an event: the request, its cause, the trace and the acting user. */
export interface EventMetadata {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly actor?: string | undefined;
}

/** A position in the feed. Both parts are 64-bit integers as text, ordered by transaction, then by number. */
export interface Position {
  readonly txid: string;
  readonly pos: string;
}

/** The position before every event. */
export const BEGINNING: Position = { txid: '0', pos: '0' };

/** Negative if `a` is before `b` in the feed. */
export const comparePositions = (a: Position, b: Position): number => {
  const byTransaction = BigInt(a.txid) - BigInt(b.txid);
  const difference = byTransaction === 0n ? BigInt(a.pos) - BigInt(b.pos) : byTransaction;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** An event as the store returns it. */
export interface RecordedEvent<Event extends DomainEvent = DomainEvent> {
  /** UUIDv7; also the message id under which it is published. */
  readonly id: string;
  readonly type: Event['type'];
  readonly streamId: string;
  /** Counts from 1 within the stream, without gaps. */
  readonly version: number;
  readonly data: Event['data'];
  readonly metadata: EventMetadata;
  readonly occurredAt: Date;
  readonly position: Position;
}
