import type { ServiceName } from '@postern/contracts';
import { deleteFormerStream, type NatsLink } from '@postern/messaging';
import type { ServiceLog } from '../log/service-log.js';
import type { Tasks } from '../tasks.js';
import type { PublishedLog } from './published-log.js';

const EVERY_MS = 60_000;

/**
 * Deletes the stream of release 0.1 once every consumer follows the log, because it contains addresses. The next release can
 * remove this file.
 */
export class FormerStream {
  #isDeleted = false;

  constructor(
    private readonly service: ServiceName,
    private readonly parts: { readonly link: NatsLink; readonly published: PublishedLog; readonly log: ServiceLog },
  ) {}

  start(tasks: Tasks): void {
    tasks.every(EVERY_MS, 'delete the former event stream', async () => {
      if (!this.#isDeleted) await this.deleteUnlessRead();
    });
  }

  async deleteUnlessRead(): Promise<void> {
    const { link, published, log } = this.parts;
    if ((await published.readers()).some(({ askedSecondsAgo }) => askedSecondsAgo === undefined)) return;
    const wasThere = await deleteFormerStream(link, this.service);
    this.#isDeleted = true;
    if (wasThere) log.info({ service: this.service }, 'The stream of events of an earlier release was deleted');
  }
}
