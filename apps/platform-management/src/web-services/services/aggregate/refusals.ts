import { Refusal } from '@postern/contracts/refusal';
import type { WebService } from './state.js';

export const webServiceNotFound = (): Refusal => new Refusal('web_service_not_found', 'there is no such web service');
export const deploymentNotFound = (): Refusal =>
  new Refusal('deployment_not_found', 'there is no such deployment of this web service');

/** Refuses commands for a blocked or suspended web service. */
export function refuseFlagged({ blocked, suspended }: WebService): void {
  if (blocked !== undefined) throw new Refusal('service_blocked', `the web service is blocked: ${blocked}`);
  if (suspended !== undefined) throw new Refusal('service_suspended', `the web service is suspended: ${suspended}`);
}
