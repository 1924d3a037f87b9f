import type { Log } from '@postern/messaging';
import { isInstanceId } from './home-prefix.js';
import { Instance } from './instance.js';
import type { InstanceHost } from './instance-host.js';
import type { InstanceRecord } from './instance-record.js';
import type { MarkedProcesses } from './marked-processes.js';

/** Temporary shortages of resources, after which the adoption is retried. */
const PASSING = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/** Finds the instances of an earlier platform process: adopts those that run, and removes the others. */
export class OrphanedInstances {
  constructor(
    private readonly host: InstanceHost,
    private readonly processes: MarkedProcesses,
    private readonly idPrefix: string,
    private readonly log: Log,
  ) {}

  /**
   * Adopts all running instances. No other process may supervise them any more.
   * @throws if a temporary error prevents the inspection of one.
   */
  async adopt(): Promise<readonly Instance[]> {
    const results = await Promise.allSettled(
      (await this.host.instanceRecords.list()).map(record => this.#adopt(record)),
    );
    const adopted = results.flatMap(result => (result.status === 'fulfilled' && result.value) || []);
    const failed = results.find(result => result.status === 'rejected');
    if (!failed) return adopted;
    await Promise.all(adopted.map(instance => instance.detach()));
    throw failed.reason;
  }

  async #adopt(record: InstanceRecord): Promise<Instance | undefined> {
    try {
      return await Instance.adopt(this.host, record);
    } catch (err) {
      if (PASSING.has((err as NodeJS.ErrnoException).code ?? '')) throw err;
      this.log.warn({ err, instance: record.id }, 'Could not resume an instance; stopping it');
      return undefined;
    }
  }

  /**
   * Kills the processes and removes the records of all instances of this home that `knows` does not recognise. If that
   * fails for an instance, the next call retries it.
   */
  async clear(knows: (id: string) => boolean): Promise<void> {
    const marked = [...(await this.processes.scan()).keys()].filter(id => id.startsWith(this.idPrefix));
    const recorded = await this.host.instanceRecords.ids();
    const connected = (await this.host.confinement.networkIds()).filter(id => isInstanceId(id, this.idPrefix));
    const orphans = [...new Set([...marked, ...recorded, ...connected])].filter(id => !knows(id));
    for (const id of orphans) {
      this.log.warn({ instance: id }, 'Stopping an orphaned instance');
      try {
        await (await this.host.confinement.find(id)).clear();
        await this.host.instanceRecords.remove(id);
      } catch (err) {
        this.log.error({ err, instance: id }, 'An orphaned instance could not be stopped');
      }
    }
  }
}
