/** A fact that a decider yields: what happened, in the past tense, and its particulars as plain JSON. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** Where an event comes from: the request it belongs to, what caused it, the trace, and who acted. */
export interface EventMetadata {
  readonly correlationId: string;
  readonly causationId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly actor?: string | undefined;
}

/** A place in the feed. Both parts are 64-bit integers as text; the order is by transaction, then by number. */
export interface Position {
  readonly txid: string;
  readonly pos: string;
}

/** Before every event. */
export const BEGINNING: Position = { txid: '0', pos: '0' };

/** Negative when `a` lies before `b` in the feed. */
export const comparePositions = (a: Position, b: Position): number => {
  const byTransaction = BigInt(a.txid) - BigInt(b.txid);
  const difference = byTransaction === 0n ? BigInt(a.pos) - BigInt(b.pos) : byTransaction;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** An event as the store keeps it. */
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
