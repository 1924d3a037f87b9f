import { Injectable } from '@nestjs/common';
import { latestPosition, PostgresEventStore, ProjectionRunner } from '@postern/event-sourcing/postgres';
import { ReadModels } from '../tracked-emails/ports.js';

/** Waits for the checkpoints of all projections. */
@Injectable()
export class ProjectedReadModels extends ReadModels {
  constructor(
    private readonly store: PostgresEventStore,
    private readonly runner: ProjectionRunner,
    private readonly names: readonly string[],
  ) {
    super();
  }

  override async caughtUp(): Promise<void> {
    const position = await latestPosition(this.store.pool);
    await Promise.all(this.names.map(name => this.runner.waitUntil(name, position)));
  }
}
