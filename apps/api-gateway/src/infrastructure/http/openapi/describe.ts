import { SetMetadata } from '@nestjs/common';
import type { RequestContract } from '@postern/contracts';
import type { z } from 'zod';

/** The documentation of an operation, in addition to Nest's own metadata. */
export interface OperationDescription {
  /** `<Tag>.<action>`; derived from the names of the controller and the method if absent. */
  readonly operation?: string;
  /** Method name in clients generated from the public document; the name of the last request if absent. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  /** The requests that the operation sends; the reply of the last one is the response unless `reply` is given. */
  readonly requests: readonly RequestContract[];
  readonly reply?: z.ZodType;
  /** Describes the gzipped archive that the operation also takes as its body. */
  readonly archive?: string;
  /** Whether this is the route for another body of an operation that is documented with all its bodies. */
  readonly isAlternative?: boolean;
  /** The body, if the operation reads it without `@Body({ schema })`. */
  readonly body?: z.ZodType;
  /** Descriptions of path parameters that are not in a schema. */
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly requestHeaders?: Readonly<Record<string, RequestHeader>>;
  readonly responseHeaders?: Readonly<Record<string, ResponseHeader>>;
  /** Media types of a response that is not JSON, or not always. */
  readonly contentType?: string | readonly string[];
  /** Whether the response is always text of this media type, and never the JSON reply of the request. */
  readonly isText?: boolean;
  /** Statuses of the gateway's own responses; a second success status has the same body. */
  readonly also?: Readonly<Record<number, string>>;
  /** The codes of the errors in `also`; those of the status if absent. */
  readonly codes?: Readonly<Record<number, readonly string[]>>;
  readonly examples?: { readonly body?: unknown; readonly reply?: unknown };
  /** Whether clients may repeat it with an `Idempotency-Key`. */
  readonly repeatable?: boolean;
  /** Whether the operation requires a session. */
  readonly session?: boolean;
}

/** A header of a request; a string unless it has another schema. */
export interface RequestHeader {
  readonly required: boolean;
  readonly description: string;
  readonly schema?: z.ZodType;
}

/** The description of a header; of type string unless another type is given. */
export type ResponseHeader = string | { readonly description: string; readonly type: 'integer' };

export const OPERATION = 'postern:operation';
export const NEEDS_SESSION = 'postern:needs-session';

/** Documents an operation. */
export const Describes = (description: OperationDescription) => SetMetadata(OPERATION, description);

/** Documents that an operation requires a session. */
export const DocumentsSession = () => SetMetadata(NEEDS_SESSION, true);
