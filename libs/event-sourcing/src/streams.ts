import { type Decider, fold } from './decider.js';
import type { DomainEvent, EventMetadata, Position } from './event.js';
import type { EventStore } from './event-store.js';
import { handleCommand } from './handle-command.js';

/** A rule about the content of the read model, exact for all commands with the same lock. */
export interface CreationLimit {
  /** Not a stream: commands with this lock run one after another, over all replicas. */
  readonly lock: string;
  /** Runs when the read model contains the events of all earlier commands; throws a refusal. Must not write. */
  readonly check: () => Promise<unknown>;
}

export interface StreamsOptions {
  readonly store: EventStore;
  /** Resolves when the read models contain all events up to a position. */
  readonly waitUntil: (position: Position | undefined) => Promise<void>;
  /** The origin of a command; called for each command. */
  readonly metadata: () => EventMetadata;
}

/** Reads and writes streams for commands that write only events. */
export class Streams {
  constructor(private readonly options: StreamsOptions) {}

  /** The state after the latest event. */
  async stateOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
  ): Promise<State> {
    return fold(decider, await this.options.store.readStream(streamId));
  }

  /**
   * Decides, appends, and returns the new events when the read models show them. A conflict with another writer is
   * decided again. Refusals of the decider append nothing.
   */
  async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
    command: Command,
  ): Promise<readonly Event[]> {
    const { store, metadata, waitUntil } = this.options;
    const { events, position } = await handleCommand(store, decider, streamId, command, metadata());
    await waitUntil(position);
    return events as unknown as readonly Event[];
  }
}
