import type { Log } from '@postern/messaging';
import { Instance } from './instance.js';
import type { InstanceHost } from './instance-host.js';
import type { MarkedProcesses } from './marked-processes.js';

/** Finds what an earlier run of the platform has left: what still runs is taken over, the rest is cleared away. */
export class LeftBehind {
  constructor(
    private readonly host: InstanceHost,
    private readonly processes: MarkedProcesses,
    private readonly idPrefix: string,
    private readonly log: Log,
  ) {}

  /** All instances that run; nobody else may look after them any more. */
  async adopt(): Promise<readonly Instance[]> {
    const adopted = await Promise.all(
      (await this.host.ledger.list()).map(async record => {
        try {
          return await Instance.adopt(this.host, record);
        } catch (err) {
          this.log.warn({ err, instance: record.id }, 'An instance could not be taken over, and is ended');
          return undefined;
        }
      }),
    );
    return adopted.filter(instance => instance !== undefined);
  }

  /**
   * Ends every process of this home that carries the mark of an instance that nobody `knows`, and forgets records whose
   * processes are gone. One that cannot be ended now is met again the next time.
   */
  async clear(knows: (id: string) => boolean): Promise<void> {
    const marked = [...(await this.processes.scan()).keys()].filter(id => id.startsWith(this.idPrefix));
    const recorded = await this.host.ledger.ids();
    const strangers = [...new Set([...marked, ...recorded])].filter(id => !knows(id));
    for (const id of strangers) {
      this.log.warn({ instance: id }, 'An instance that belongs to nothing is ended');
      try {
        await (await this.host.confinement.find(id)).clear();
        await this.host.ledger.remove(id);
      } catch (err) {
        this.log.error({ err, instance: id }, 'An instance that belongs to nothing could not be ended');
      }
    }
  }
}
