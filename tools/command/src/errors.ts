import { ApiError, AuthenticationError, DeploymentFailedError, DeploymentTimeoutError } from '@postern/sdk';

/** What the exit status of the command says. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unauthenticated: 3, inProgress: 4 } as const;

/** The arguments or the configuration do not fit; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** No credential for the call; the message says how to get one. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
}

/** The exit status of an error that ends a command. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof NotSignedInError || error instanceof AuthenticationError) return EXIT.unauthenticated;
  if (error instanceof DeploymentTimeoutError) return EXIT.inProgress;
  return EXIT.failed;
};

/** An error as `--json` prints it. */
export const errorAsJson = (error: unknown): object => ({
  error: {
    message: error instanceof Error ? error.message : String(error),
    ...(error instanceof ApiError ? { status: error.status, code: error.code, request_id: error.requestId } : {}),
    ...(error instanceof DeploymentFailedError ? { deployment: error.deployment } : {}),
  },
});

/** What the user can do about an error; undefined if the message says it already. */
export const adviceFor = (error: unknown): string | undefined => {
  if (error instanceof AuthenticationError)
    return 'Run `postern login` with a valid credential. `postern whoami` shows what is stored.';
  if (error instanceof DeploymentFailedError)
    return `See why: postern logs ${error.deployment.web_service_id} --tail 200`;
  if (error instanceof DeploymentTimeoutError) return 'It may still become live. Follow it in the dashboard.';
  if (error instanceof ApiError && error.requestId !== undefined) return `Request id: ${error.requestId}`;
  return undefined;
};
