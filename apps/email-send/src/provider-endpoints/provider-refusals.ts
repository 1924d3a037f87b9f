import { Refusal } from '@postern/contracts';

export const invalidSignature = (reason: string): Refusal => new Refusal('invalid_signature', reason);
export const invalidEvent = (reason: string): Refusal => new Refusal('invalid_event', reason);
export const invalidInput = (field: string, reason: string): Refusal =>
  new Refusal('invalid_input', `${field}: ${reason}`);
