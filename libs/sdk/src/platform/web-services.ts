import type {
  ChangeWebServiceBody,
  CreateWebServiceBody,
  DatabaseRestore,
  Deletion,
  DiskBackup,
  ListDiskBackupsReply,
  StartWebServiceReply,
  WebService,
} from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Web services, and starting, restarting and stopping them. */
export class WebServices {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** All web services, oldest first. */
  list(options?: CallOptions): Promise<WebService[]> {
    return this.#api.get('/web-services', options);
  }

  /** Creates a web service; its first deployment starts it. */
  create(webService: CreateWebServiceBody, options?: CommandOptions): Promise<WebService> {
    return this.#api.post('/web-services', { body: webService, ...options });
  }

  get(webServiceId: string, options?: CallOptions): Promise<WebService> {
    return this.#api.get(pathOf`/web-services/${webServiceId}`, options);
  }

  /** Changes settings: numbers of instances at once, others with the next start or deployment. */
  change(webServiceId: string, changes: ChangeWebServiceBody, options?: CommandOptions): Promise<WebService> {
    return this.#api.patch(pathOf`/web-services/${webServiceId}`, changes, options);
  }

  /** Deletes a web service with its deployments, variables, logs, disk and the backups of the disk. */
  delete(webServiceId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}`, options);
  }

  /** The backups of the disk, newest first. */
  diskBackups(webServiceId: string, options?: CallOptions): Promise<ListDiskBackupsReply> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/disk/backups`, options);
  }

  /** Begins a backup of the disk. */
  backUpDisk(webServiceId: string, options?: CommandOptions): Promise<DiskBackup> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/disk/backups`, options);
  }

  /** Replaces all files of the disk by those of a backup, which ends the instance and starts it again. */
  restoreDisk(webServiceId: string, backupId: string, options?: CommandOptions): Promise<DatabaseRestore> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/disk/backups/${backupId}/restore`, options);
  }

  /** Starts the last successful deployment with the current environment. */
  start(webServiceId: string, options?: CommandOptions): Promise<StartWebServiceReply> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/start`, options);
  }

  /** Replaces the running instances one by one, with the current environment. */
  restart(webServiceId: string, options?: CommandOptions): Promise<StartWebServiceReply> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/restart`, options);
  }

  /** Stops all instances; environment and disks are kept. */
  stop(webServiceId: string, options?: CommandOptions): Promise<StartWebServiceReply> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/stop`, options);
  }
}
