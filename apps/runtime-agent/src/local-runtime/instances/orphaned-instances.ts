import type { Log } from '@postern/messaging';
import { Instance } from './instance.js';
import type { InstanceHost } from './instance-host.js';
import type { InstanceRecord } from './instance-record.js';
import type { MarkedProcesses } from './marked-processes.js';

/** Errors of a machine that has too little of something at the moment; the adoption is tried again. */
const PASSING = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/** Finds what an earlier run of the platform has left: what still runs is taken over, the rest is cleared away. */
export class OrphanedInstances {
  constructor(
    private readonly host: InstanceHost,
    private readonly processes: MarkedProcesses,
    private readonly idPrefix: string,
    private readonly log: Log,
  ) {}

  /**
   * All instances that run; nobody else may look after them any more.
   * @throws when one cannot be looked at now.
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
   * Ends every process of this home that carries the mark of an instance that nobody `knows`, and forgets records whose
   * processes are gone. One that cannot be ended now is met again the next time.
   */
  async clear(knows: (id: string) => boolean): Promise<void> {
    const marked = [...(await this.processes.scan()).keys()].filter(id => id.startsWith(this.idPrefix));
    const recorded = await this.host.instanceRecords.ids();
    const strangers = [...new Set([...marked, ...recorded])].filter(id => !knows(id));
    for (const id of strangers) {
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
