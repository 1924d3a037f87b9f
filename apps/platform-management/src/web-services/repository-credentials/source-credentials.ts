import type { SourceCredentials } from '@postern/runtime';
import type { DeploymentCredentials } from './repository-credentials.js';

/** Credentials with their secrets, and the host of the token. */
export interface OpenedCredentials extends SourceCredentials {
  readonly tokenHost: string | undefined;
}

/** Returns the host of a repository URL; empty for a file. */
export const hostOfRepository = (url: string): string => {
  if (URL.canParse(url) && url.includes('://')) return new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  return (/^[^@]+@(\[[^\]]+\]|[^:]+):/.exec(url)?.[1] ?? '').toLowerCase();
};

/** Returns the credentials for a deployment from this URL. */
export const forRepository = (opened: OpenedCredentials, repositoryUrl: string): DeploymentCredentials => {
  const source = credentialsFor(opened, repositoryUrl);
  return { source, secrets: secretsIn(source), withheld: withheldToken(opened, repositoryUrl) };
};

/** Returns only the credentials that the URL scheme uses; a token only for the host that it was stored for. */
export const credentialsFor = (
  { ssh, https, tokenHost }: OpenedCredentials,
  repositoryUrl: string,
): SourceCredentials => {
  if (!isWeb(repositoryUrl)) return ssh ? { ssh } : {};
  return https && tokenHost === hostOfRepository(repositoryUrl) ? { https } : {};
};

/** Returns the reason for not sending a token, for the build log. */
export const withheldToken = (
  { https, tokenHost = '' }: OpenedCredentials,
  repositoryUrl: string,
): string | undefined => {
  const host = hostOfRepository(repositoryUrl);
  if (!https || tokenHost === host || !isWeb(repositoryUrl)) return undefined;
  return `The access token was stored for ${tokenHost || 'a local repository'} and is not sent to ${host}; store one for ${host}`;
};

const isWeb = (url: string): boolean => /^https?:/.test(url);

/** Returns the secrets to mask in logs and errors. */
export const secretsIn = ({ ssh, https }: SourceCredentials): readonly string[] => [
  ...(ssh ? [ssh.privateKey] : []),
  ...(https ? [https.token, Buffer.from(`${https.username}:${https.token}`).toString('base64')] : []),
];
