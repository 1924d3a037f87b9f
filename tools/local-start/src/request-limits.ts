const NO_LIMIT = '1000000';

/** Settings of the gateway that lift the limits of signed-in users and platform keys, for tests and benchmarks. */
export const LIFTED_CALLER_LIMITS: Readonly<Record<string, string>> = {
  POSTERN_CALLER_REQUESTS_PER_SECOND: NO_LIMIT,
  POSTERN_CALLER_REQUESTS_AT_ONCE: NO_LIMIT,
  POSTERN_WORKSPACE_REQUESTS_PER_SECOND: NO_LIMIT,
};

/** Also lifts the limits of requests without a valid credential. */
export const LIFTED_REQUEST_LIMITS: Readonly<Record<string, string>> = {
  ...LIFTED_CALLER_LIMITS,
  POSTERN_CLIENT_REQUESTS_PER_SECOND: NO_LIMIT,
};
