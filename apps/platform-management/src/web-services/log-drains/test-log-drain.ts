import { Refusal, type ReplyOf, type RequestOf, testLogDrain } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { KeyedSlots } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { WebServices } from '../services/web-services.projection.js';
import { DrainSender } from './drain-sender.js';
import { LogDrains } from './log-drains.js';

/** Sends one line that is in no log, and returns how the receiver answered. */
@Handles(testLogDrain)
export class TestLogDrain {
  /** Tests of a web service at a time, because each can take ten seconds. */
  readonly #slots = new KeyedSlots({ running: 2, waiting: 0 });

  constructor(
    private readonly owners: WebServices,
    private readonly drains: LogDrains,
    private readonly sender: DrainSender,
  ) {}

  async execute(request: RequestOf<typeof testLogDrain>): Promise<ReplyOf<typeof testLogDrain>> {
    const { web_service_id: webServiceId, drain_id: id } = request;
    await this.owners.requireOwner(request, webServiceId);
    const { kind, target, name } = await this.drains.targetOf(webServiceId, id);
    const line = {
      id: `test-${uuidv7()}`,
      timestamp: new Date(),
      instance: 'platform',
      stream: 'platform' as const,
      message: 'Test line of a log drain',
      deploymentId: undefined,
    };
    const { error, durationMs } = await this.#slots.run(
      webServiceId,
      () => this.sender.send(kind, target, [line], { webServiceId, name }),
      () =>
        new Refusal('tests_in_progress', 'other tests of this web service are in progress; try again in a few seconds'),
    );
    return { accepted: error === undefined, error: error ?? null, duration_ms: durationMs };
  }
}
