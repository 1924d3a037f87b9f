import { readFile } from 'node:fs/promises';
import { Inject } from '@nestjs/common';
import { getSystem, Refusal, type ReplyOf, type RequestOf, type SystemReport, systemReport } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG, ServiceLog } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { AccountDirectory } from '../accounts/users/ports.js';
import type { systemSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof systemSettings>>;

/** Shows an operator what the hourly check of this server found. */
@Handles(getSystem)
export class GetSystem {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly log: ServiceLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute({ actor_id }: RequestOf<typeof getSystem>): Promise<ReplyOf<typeof getSystem>> {
    const actor = await this.accounts.find(actor_id);
    if (!actor?.operator) throw new Refusal('not_an_operator', 'only an operator can see the state of the server');
    return { server: await this.#report() };
  }

  /** Null before the first check, and for a file that another release wrote and this one does not know. */
  async #report(): Promise<SystemReport | null> {
    const { systemReportFile: file } = this.config;
    if (file === undefined) return null;
    try {
      return systemReport.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.log.warn({ file, error: (error as Error).message }, 'the report of the server cannot be read');
      return null;
    }
  }
}
