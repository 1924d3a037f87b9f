import { SetMetadata } from '@nestjs/common';
import type { RequestContract } from '@postern/contracts';
import type { z } from 'zod';

/** What the documentation says of an operation beyond Nest's own metadata. */
export interface OperationDescription {
  /** `<Tag>.<action>`, the operation id; from the names of controller and method if absent. */
  readonly operation?: string;
  readonly summary: string;
  readonly description?: string;
  /** The requests that the operation sends; the last one's reply is the answer unless `reply` is given. */
  readonly requests: readonly RequestContract[];
  readonly reply?: z.ZodType;
  /** The body, if the operation reads it without `@Body({ schema })`. */
  readonly body?: z.ZodType;
  readonly requestHeaders?: Readonly<Record<string, { readonly required: boolean; readonly description: string }>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Media type of an answer that is not JSON. */
  readonly contentType?: string;
  /** Statuses that the gateway itself answers with; a second success has the same body. */
  readonly also?: Readonly<Record<number, string>>;
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown };
  /** Whether the operation needs a session. */
  readonly session?: boolean;
}

export const OPERATION = 'postern:operation';
export const NEEDS_SESSION = 'postern:needs-session';

/** Documents an operation. */
export const Describes = (description: OperationDescription) => SetMetadata(OPERATION, description);

/** Documents that an operation needs a session. */
export const DocumentsSession = () => SetMetadata(NEEDS_SESSION, true);
