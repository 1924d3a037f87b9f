/** The default error codes, by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_input',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

/** The header with the code of every error response. */
export const ERROR_CODE = 'error-code';

export const codeOfStatus = (status: number): string => CODES[status] ?? `http_${status}`;
