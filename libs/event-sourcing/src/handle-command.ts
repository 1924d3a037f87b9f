import { type Decider, fold } from './decider.js';
import type { DomainEvent, EventMetadata, Position, RecordedEvent } from './event.js';
import { ConcurrencyConflict, type EventStore } from './event-store.js';

export interface Handled<State> {
  readonly state: State;
  readonly version: number;
  readonly events: readonly RecordedEvent[];
  /** The position of the last new event; undefined when there is none. */
  readonly position: Position | undefined;
}

const ATTEMPTS = 5;

/**
 * Loads a stream, decides and appends. A conflict with another writer is decided again, a few times.
 * @throws the refusal of the decider, with nothing appended; ConcurrencyConflict when every attempt conflicted.
 */
export const handleCommand = async <State, Command, Event extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, Event>,
  streamId: string,
  command: Command,
  metadata: EventMetadata,
): Promise<Handled<State>> => {
  for (let attempt = 1; ; attempt++) {
    const history = await store.readStream(streamId);
    const state = fold(decider, history);
    const events = decider.decide(command, state);
    if (events.length === 0) return { state, version: history.length, events: [], position: undefined };
    try {
      const appended = await store.append(streamId, events, { expectedVersion: history.length, metadata });
      return { ...appended, state: events.reduce(decider.evolve, state) };
    } catch (error) {
      if (!(error instanceof ConcurrencyConflict) || attempt === ATTEMPTS) throw error;
    }
  }
};
