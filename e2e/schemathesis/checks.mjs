/** The checks that schemathesis runs, and the reasons for those that it does not. */

/**
 * Left out: `positive_data_acceptance`, because domain rules refuse more than the schema does;
 * `unsupported_method`, because the HTTP parser of Node.js refuses QUERY with 400.
 */
export const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,' +
  'response_headers_conformance,negative_data_rejection,ignored_auth,allow_header_conformance';

/** The documented status of an overloaded installation; the run fails if an operation returns no other status. */
export const BUSY = 503;

/** The allowed statuses for a request that violates the schema: the defaults of schemathesis, and 413. */
export const REFUSALS_OF_INVALID_INPUT = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, '5xx'];
