import { Refusal } from '@postern/contracts/refusal';

export const deployHookNotFound = (): Refusal => new Refusal('deploy_hook_not_found', 'there is no such deploy hook');
