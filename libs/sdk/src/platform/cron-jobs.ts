import type { ChangeCronJobBody, CreateCronJobBody, CronJob, Deletion } from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Commands that the live release of a web service runs on a schedule. */
export class CronJobs {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The cron jobs of a web service by name. */
  list(webServiceId: string, options?: CallOptions): Promise<CronJob[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/cron-jobs`, options);
  }

  create(webServiceId: string, job: CreateCronJobBody, options?: CommandOptions): Promise<CronJob> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/cron-jobs`, { body: job, ...options });
  }

  change(webServiceId: string, jobId: string, changes: ChangeCronJobBody, options?: CommandOptions): Promise<CronJob> {
    return this.#api.patch(pathOf`/web-services/${webServiceId}/cron-jobs/${jobId}`, changes, options);
  }

  delete(webServiceId: string, jobId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/cron-jobs/${jobId}`, options);
  }
}
