import type { RequestContract } from '@postern/contracts';
import type { Answer } from './arrived-request.js';

/** A registered handler of one request. */
export interface RequestHandler {
  /** The name in error messages. */
  readonly owner: string;
  readonly contract: RequestContract;
  readonly handle: Answer;
}
