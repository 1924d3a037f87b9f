import {
  ApiError,
  AuthenticationError,
  DeploymentFailedError,
  DeploymentTimeoutError,
  InvalidRequestError,
} from '@postern/sdk';

/** The exit codes of the command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unauthenticated: 3, inProgress: 4 } as const;

/** The arguments or the configuration are not valid; the message explains how to fix them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The call requires a credential; the message explains how to get one. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';
}

/** The API names the elements of a list by their position, which the user of a command does not see: this names them by a field. */
export const withNames = <Name extends string>(
  error: unknown,
  list: string,
  elements: readonly Readonly<Record<Name, string>>[],
  name: Name,
): unknown => {
  if (!(error instanceof InvalidRequestError)) return error;
  const message = error.message.replace(/\b(\w+)\[(\d+)\]\.(\w+)/g, (whole, of, index, field) => {
    const element = of === list ? elements[Number(index)] : undefined;
    if (element === undefined) return whole;
    return `the ${field} ${field === name ? '' : 'of '}${JSON.stringify(element[name])}`;
  });
  return new UsageError(message.charAt(0).toUpperCase() + message.slice(1));
};

/** The exit code for an error that ends a command. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof NotSignedInError || error instanceof AuthenticationError) return EXIT.unauthenticated;
  if (error instanceof DeploymentTimeoutError) return EXIT.inProgress;
  return EXIT.failed;
};

/** The output of an error with `--json`. */
export const errorAsJson = (error: unknown): object => ({
  error: {
    message: error instanceof Error ? error.message : String(error),
    ...(error instanceof ApiError ? { status: error.status, code: error.code, request_id: error.requestId } : {}),
    ...(error instanceof DeploymentFailedError ? { deployment: error.deployment } : {}),
  },
});

/** Advice for the user about an error; undefined if the message already contains it. */
export const adviceFor = (error: unknown): string | undefined => {
  if (error instanceof AuthenticationError)
    return 'Run `postern login` with a valid credential. `postern whoami` shows what is stored.';
  if (error instanceof DeploymentFailedError)
    return `See its log: postern deployments logs ${error.deployment.id} --service ${error.deployment.web_service_id}`;
  if (error instanceof DeploymentTimeoutError) return 'It may still become live. Follow it in the dashboard.';
  if (error instanceof ApiError && error.requestId !== undefined) return `Request id: ${error.requestId}`;
  return undefined;
};
