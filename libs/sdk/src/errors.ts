/** What is known of a response that reports an error. */
export interface ErrorResponse {
  readonly status: number;
  /** From the header `Error-Code`: `recipient_not_verified`. */
  readonly code: string | undefined;
  readonly message: string;
  /** From the header `X-Request-Id`; quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, from the header `Retry-After`. */
  readonly retryAfterS: number | undefined;
  /** Id of a message whose outcome is unknown, from the header `Email-Id`. */
  readonly emailId: string | undefined;
}

/** The base class of all errors of this library. */
export class PosternError extends Error {
  override readonly name: string = 'PosternError';
}

/** Postern answered with an error status. Subclasses tell the kinds of errors apart. */
export class ApiError extends PosternError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** From the header `Error-Code`; undefined if the response has none. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterS: number | undefined;
  readonly emailId: string | undefined;

  constructor({ status, code, message, requestId, retryAfterS, emailId }: ErrorResponse) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
    this.emailId = emailId;
  }
}

/** 400, 413 or 415: the request is invalid, and will be when it is repeated. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: the key is missing, wrong, expired or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the key is valid and does not allow the call, or the email service is disabled. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404: the resource does not exist, or belongs to another workspace. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the request conflicts with another one, or a quota is reached. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429: a limit is reached; `retryAfterS` tells when to try again. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: a temporary failure. With `emailId`, that message may have been sent; without, nothing was sent. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** No response arrived: the connection failed, or the time limit passed. */
export class ConnectionError extends PosternError {
  override readonly name = 'ConnectionError';
}

const CLASSES: Readonly<Record<number, new (response: ErrorResponse) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  429: RateLimitError,
};

/** The error of a response, in the class of its status. */
export const apiError = (response: ErrorResponse): ApiError => {
  const ErrorClass = CLASSES[response.status] ?? (response.status >= 500 ? ServerError : ApiError);
  return new ErrorClass(response);
};
