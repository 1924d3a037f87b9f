import type { SourceCredentials } from '@postern/runtime';

/** A section of an untrusted `.gitmodules`. */
export interface Submodule {
  readonly path: string;
  readonly url: string;
}

/** Parses the output of `git config --null --get-regexp` for the paths and addresses in a `.gitmodules`. */
export const submodulesIn = (listing: string): readonly Submodule[] => {
  const sections = new Map<string, { path?: string; url?: string }>();
  for (const entry of listing.split('\0')) {
    const [, name = '', key, value = ''] = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(entry) ?? [];
    if (key !== 'path' && key !== 'url') continue;
    sections.set(name, { ...sections.get(name), [key]: value });
  }
  return [...sections.values()].flatMap(({ path, url }) => (path && url ? [{ path, url }] : []));
};

/** Whether a path names a folder inside the repository on every file system, and none of git's own files. */
export const isInnerPath = (path: string): boolean =>
  path.length <= 1_024 &&
  !/[\p{Cc}\\:]/u.test(path) &&
  path.split('/').every(name => name !== '' && !/^(\.{1,2}|-.*|git~\d+|\.git[ .]*)$/i.test(name));

export const OTHER_ADDRESS =
  'submodules are fetched over https:// and ssh://, or from an address relative to the repository';

/** The address of a submodule, or why it is refused. */
export const submoduleAddress = (
  repositoryUrl: string,
  url: string,
): { readonly url: string } | { readonly refusal: string } => {
  if (url.length > 2_048 || /[\p{Cc}\s]/u.test(url)) return { refusal: 'its address is not valid' };
  const address = /^\.{1,2}\//.test(url) ? relativeTo(repositoryUrl, url) : url;
  if (address === undefined) return { refusal: 'its address leads above the host of the repository' };
  return ADDRESS.test(address) ? { url: address } : { refusal: OTHER_ADDRESS };
};

const ADDRESS = /^(https?:\/\/|ssh:\/\/|[a-z0-9_][a-z0-9._-]*@[^@:/]+:[^:])/i;

/** Host and path of a repository, for resolving a relative address. */
const PARTS = /^((?:https?|ssh):\/\/[^/]+\/|[^@/:]+@(?:[^@:/]+|\[[^\]]+\]):\/?)(.*)$/i;

const relativeTo = (repositoryUrl: string, url: string): string | undefined => {
  const [, host, path = ''] = PARTS.exec(repositoryUrl.replace(/\/+$/, '')) ?? [];
  if (host === undefined) return undefined;
  const names = path.split('/').filter(Boolean);
  for (const name of url.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.length === 0 ? undefined : host + names.join('/');
};

/** The credentials of the repository if the submodule is on the same server; otherwise none. */
export const credentialsForSubmodule = (
  url: string,
  repositoryUrl: string,
  credentials: SourceCredentials | undefined,
): SourceCredentials => {
  const server = serverOf(url);
  return credentials && server !== undefined && server === serverOf(repositoryUrl) ? credentials : {};
};

/** Protocol, host and port. */
const serverOf = (url: string): string | undefined => {
  const scp = /^[^@/:]+@([^@:/]+|\[[^\]]+\]):/.exec(url)?.[1];
  if (scp !== undefined) return `ssh://${scp.toLowerCase()}:22`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return `${protocol}//${host}:${port || { 'https:': '443', 'http:': '80', 'ssh:': '22' }[protocol]}`;
};
