import { SetMetadata } from '@nestjs/common';
import type { RequestContract } from '@postern/contracts';
import type { z } from 'zod';

/** What the documentation says of an operation beyond what Nest's own metadata tells. */
export interface OperationDescription {
  readonly summary: string;
  readonly description?: string;
  /** Request contracts that the operation asks; the last one's reply is the answer unless `reply` says otherwise. */
  readonly asks: readonly RequestContract[];
  readonly reply?: z.ZodType;
  /** The body, where the operation reads it itself instead of through `@Body({ schema })`. */
  readonly body?: z.ZodType;
  readonly requestHeaders?: Readonly<Record<string, { readonly required: boolean; readonly description: string }>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Media type of an answer that is no JSON. */
  readonly contentType?: string;
  /** Statuses that the gateway itself gives; a second success has the same answer. */
  readonly also?: Readonly<Record<number, string>>;
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown };
}

export const OPERATION = 'postern:operation';

/** Puts an operation into the OpenAPI document of its audience. */
export const Describes = (description: OperationDescription) => SetMetadata(OPERATION, description);

/** An operation that asks one service one thing and answers with its reply. */
export const Answers = (
  contract: RequestContract,
  summary: string,
  more: Omit<OperationDescription, 'summary' | 'asks'> = {},
) => Describes({ summary, asks: [contract], ...more });
