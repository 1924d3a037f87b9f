import { parseImageReference } from '@postern/contracts';
import { imageReferenceIn, type SourceCredentials } from '@postern/runtime';
import type { DeploymentCredentials } from './repository-credentials.js';

type HttpsToken = NonNullable<SourceCredentials['https']>;

/** Credentials with their secrets, and the host of the token. */
export interface OpenedCredentials extends SourceCredentials {
  readonly tokenHost: string | undefined;
  readonly registry?: { readonly username: string; readonly token: string; readonly host: string } | undefined;
}

/** The registry of the address of an image; undefined for a repository. */
const registryOf = (address: string): string | undefined => {
  const reference = imageReferenceIn(address);
  return reference === undefined ? undefined : parseImageReference(reference).registry;
};

/** Returns the host of a repository URL; empty for a file. */
export const hostOfRepository = (url: string): string => {
  if (URL.canParse(url) && url.includes('://')) return new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  return (/^[^@]+@(\[[^\]]+\]|[^:]+):/.exec(url)?.[1] ?? '').toLowerCase();
};

/** Returns the credentials for a deployment from this URL. */
export const forRepository = (opened: OpenedCredentials, repositoryUrl: string): DeploymentCredentials => {
  const { https, ...stored } = credentialsFor(opened, repositoryUrl);
  const source = https === undefined ? stored : { ...stored, https: forGit(https, repositoryUrl) };
  return { source, api: https, secrets: secretsIn(source), withheld: withheldToken(opened, repositoryUrl) };
};

/** Bitbucket Cloud wants the email address with a user's API token in its API, and this name in Git. */
const forGit = ({ username, token }: HttpsToken, repositoryUrl: string): HttpsToken => {
  const isEmail = username.includes('@') && hostOfRepository(repositoryUrl) === 'bitbucket.org';
  return { username: isEmail ? 'x-bitbucket-api-token-auth' : username, token };
};

/** Returns only the credentials that the URL scheme uses; a token only for the host that it was stored for. */
export const credentialsFor = (
  { ssh, https, tokenHost, registry }: OpenedCredentials,
  repositoryUrl: string,
): SourceCredentials => {
  const host = registryOf(repositoryUrl);
  if (host !== undefined)
    return registry?.host === host ? { https: { username: registry.username, token: registry.token } } : {};
  if (!isWeb(repositoryUrl)) return ssh ? { ssh } : {};
  return https && tokenHost === hostOfRepository(repositoryUrl) ? { https } : {};
};

/** Returns the reason for not sending a token, for the build log. */
export const withheldToken = (
  { https, tokenHost = '', registry }: OpenedCredentials,
  repositoryUrl: string,
): string | undefined => {
  const image = registryOf(repositoryUrl);
  if (image !== undefined)
    return registry && registry.host !== image
      ? `The registry credentials were stored for ${registry.host} and are not sent to ${image}; store some for ${image}`
      : undefined;
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
