import type { CreateLogDrainBody, Deletion, LogDrain, TestLogDrainReply } from '../api-types.js';
import type { CallOptions, CommandOptions } from '../http-client.js';
import { type PlatformCaller, pathOf } from './caller.js';

/** Where the log of a web service is sent. */
export class LogDrains {
  readonly #api: PlatformCaller;

  constructor(api: PlatformCaller) {
    this.#api = api;
  }

  /** The log drains of a web service, oldest first. */
  list(webServiceId: string, options?: CallOptions): Promise<LogDrain[]> {
    return this.#api.get(pathOf`/web-services/${webServiceId}/log-drains`, options);
  }

  /** Sends the lines that are written from now on. */
  create(webServiceId: string, drain: CreateLogDrainBody, options?: CommandOptions): Promise<LogDrain> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/log-drains`, { body: drain, ...options });
  }

  /** Sends one test line now. */
  test(webServiceId: string, drainId: string, options?: CommandOptions): Promise<TestLogDrainReply> {
    return this.#api.post(pathOf`/web-services/${webServiceId}/log-drains/${drainId}/test`, options);
  }

  /** Enables a drain that was disabled, or disables it. */
  setEnabled(webServiceId: string, drainId: string, enabled: boolean, options?: CommandOptions): Promise<LogDrain> {
    return this.#api.patch(pathOf`/web-services/${webServiceId}/log-drains/${drainId}`, { enabled }, options);
  }

  delete(webServiceId: string, drainId: string, options?: CommandOptions): Promise<Deletion> {
    return this.#api.delete(pathOf`/web-services/${webServiceId}/log-drains/${drainId}`, options);
  }
}
