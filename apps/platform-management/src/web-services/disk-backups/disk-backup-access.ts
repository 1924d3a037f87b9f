import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { Runtime } from '@postern/runtime';
import type { Reach } from '../../projects/reached-projects.js';
import { WebServices } from '../services/web-services.projection.js';

const NOT_SUPPORTED =
  'this installation does not back up disks. In Kubernetes, create a VolumeSnapshot of its PersistentVolumeClaim, if its storage class ' +
  'has a driver for snapshots, or use a backup tool such as Velero';

/** Finds out whether the disk of a web service can be backed up and restored. */
@Injectable()
export class DiskBackupAccess {
  constructor(
    private readonly webServices: WebServices,
    private readonly runtime: Runtime,
  ) {}

  /** Refuses with `web_service_not_found`, `disk_not_found`, `disk_backups_not_supported` and `runtime_unavailable`. */
  async diskOf(caller: Reach, webServiceId: string): Promise<void> {
    const { disk } = await this.webServices.require(webServiceId, caller);
    if (!disk)
      throw new Refusal('disk_not_found', 'the web service has no disk; set disk in its settings and deploy it first');
    if (!(await this.isSupported())) throw new Refusal('disk_backups_not_supported', NOT_SUPPORTED);
  }

  async isSupported(): Promise<boolean> {
    return (await this.runtime.features()).has('diskBackups');
  }
}
