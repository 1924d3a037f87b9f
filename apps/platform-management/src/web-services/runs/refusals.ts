import { Refusal } from '@postern/contracts/refusal';

export const runNotFound = (): Refusal => new Refusal('run_not_found', 'there is no such run of this web service');
