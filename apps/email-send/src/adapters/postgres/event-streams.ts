import {
  type Decider,
  type DomainEvent,
  type EventMetadata,
  type EventStore,
  fold,
  handleCommand,
} from '@postern/event-sourcing';
import type { ProjectionRunner } from '@postern/event-sourcing/postgres';
import { currentContext } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { Streams } from '../../ports.js';

/** Streams in the service's event store, answered once the read models of administration have caught up. */
export class EventStreams extends Streams {
  constructor(
    private readonly store: EventStore,
    private readonly projections: Pick<ProjectionRunner, 'waitUntil'>,
    private readonly readModel: string,
  ) {
    super();
  }

  async stateOf<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
  ): Promise<State> {
    return fold(decider, await this.store.readStream(streamId));
  }

  async execute<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    streamId: string,
    command: Command,
  ): Promise<readonly Event[]> {
    const { events, position } = await handleCommand(this.store, decider, streamId, command, metadata());
    await this.projections.waitUntil(this.readModel, position);
    return events as unknown as readonly Event[];
  }
}

/** A timer's work belongs to no request; it begins a correlation of its own. */
const metadata = (): EventMetadata => {
  const { correlationId, ...context } = currentContext() ?? {};
  return { ...context, correlationId: correlationId ?? uuidv7() };
};
