import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Tasks } from '@postern/service-host';
import { RETAIN_MS } from './configured-reconciler-settings.js';
import { DeleteOldConfigurations } from './delete-old-configurations.js';
import { Leadership } from './ports.js';
import { WebServicesReconciler } from './web-services-reconciler.js';

/** Interval at which a replica that does not lead tries again. */
const ELECTION_MS = 1_000;

/** Runs the reconciler and deletes old configurations, each in one replica at a time. */
@Injectable()
export class ReconcilerTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly reconciler: WebServicesReconciler,
    private readonly leadership: Leadership,
    private readonly oldConfigurations: DeleteOldConfigurations,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every(ELECTION_MS, 'reconcile web services', signal => this.reconciler.run(signal));
    this.tasks.every(RETAIN_MS, 'delete old configurations', async signal => {
      await this.leadership.lead('retain-configurations', signal, lost => this.oldConfigurations.run(lost));
    });
  }
}
