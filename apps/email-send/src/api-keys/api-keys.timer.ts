import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { PostgresSenderDirectory } from './postgres-sender-directory.js';

/** Writes the time of each key's last use every 30 seconds. */
@Injectable()
export class ApiKeysTimer implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly senders: PostgresSenderDirectory,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(30_000, 'record the last use of API keys', () => this.senders.flushUses());
  }
}
