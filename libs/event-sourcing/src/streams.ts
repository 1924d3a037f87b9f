import { type Decider, fold } from './decider.js';
import type { DomainEvent, EventMetadata, Position } from './event.js';
import type { EventStore } from './event-store.js';
import { handleCommand } from './handle-command.js';

/** What commands need of a service's streams; also the injection token. */
export abstract class Streams {
  /** The state as the newest event left it. */
  abstract stateOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
  ): Promise<State>;

  /**
   * Decides, appends, and answers the new events once the read models show them. A race lost against another writer
   * is decided again; refusals of the decider pass through and append nothing.
   */
  abstract execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
    command: Command,
  ): Promise<readonly Event[]>;
}

export interface ProjectedStreamsOptions {
  readonly store: EventStore;
  /** Resolves when the read models hold everything up to a position. */
  readonly waitUntil: (position: Position | undefined) => Promise<void>;
  /** Where a command comes from, asked at each. */
  readonly metadata: () => EventMetadata;
}

/** Streams of an event store whose writers see their own writes in the read models. */
export class ProjectedStreams extends Streams {
  constructor(private readonly options: ProjectedStreamsOptions) {
    super();
  }

  async stateOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
  ): Promise<State> {
    return fold(decider, await this.options.store.readStream(streamId));
  }

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
