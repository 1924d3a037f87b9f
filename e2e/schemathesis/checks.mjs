/** What schemathesis checks, and what it does not, with the reasons. */

/**
 * Left out: `positive_data_acceptance`, because rules of the domain refuse more than a schema does;
 * `unsupported_method`, because the parser of Node.js refuses QUERY with 400.
 */
export const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,' +
  'response_headers_conformance,negative_data_rejection,ignored_auth';

/** The documented answer of a busy installation; an operation that answers nothing else is a failure of the run. */
export const BUSY = 503;

/** Operations that are not called, as a regular expression over their paths. */
export const LEFT_OUT = [
  // These end the session of the run, or the workspace that it acts in.
  '/dashboard/api/(session|sessions|me/password|workspaces/[^/]+(/leave)?$)',
  // Answers without an end, whose events schemathesis compares with the schema of the whole text. The fuzzer calls them.
  '/logs/stream$',
].join('|');
