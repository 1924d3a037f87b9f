/** The marker in a message that tells CI and deployments to skip a commit, in lower case; undefined if there is none. */
export const skipMarkerIn = (message: unknown): string | undefined =>
  typeof message === 'string' ? /\[(skip ci|ci skip|skip deploy)\]/i.exec(message)?.[0]?.toLowerCase() : undefined;
