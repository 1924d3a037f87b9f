/** What schemathesis checks, and what it does not, with the reasons. */

/**
 * Left out: `positive_data_acceptance`, because rules of the domain refuse more than a schema does;
 * `unsupported_method`, because the parser of Node.js refuses QUERY with 400.
 */
export const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,' +
  'response_headers_conformance,negative_data_rejection,ignored_auth,allow_header_conformance';

/** The documented answer of a busy installation; an operation that answers nothing else is a failure of the run. */
export const BUSY = 503;

/** The statuses that may answer a request that a schema does not allow: the defaults of schemathesis, and a body that is too large. */
export const REFUSALS_OF_INVALID_INPUT = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, '5xx'];
