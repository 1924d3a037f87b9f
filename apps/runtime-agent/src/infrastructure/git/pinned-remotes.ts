import { isIP } from 'node:net';
import { type HostAddress, NoPublicAddress, type OutboundGuard } from '@postern/outbound';
import { type SourceCredentials, SourceUnavailable } from '@postern/runtime';
import { cannotBeFetched, displayedUrl } from './git-refusals.js';
import { hostKeyName, knownHostsOf } from './known-hosts.js';
import type { RemoteAccess } from './remote-access.js';

/** A repository whose host was checked, and the settings that prevent git from resolving that host again. */
export interface PinnedRemote {
  /** The address for git, in the form that was checked. */
  readonly url: string;
  /** Host, port and addresses of an HTTP server, in the format of `http.curloptResolve` (git 2.37). */
  readonly curlResolve: string | undefined;
  readonly sshOptions: readonly string[];
  /** Undefined without credentials. */
  readonly access?: RemoteAccess | undefined;
}

const NO_CREDENTIALS: SourceCredentials = {};

/** Valid host names in settings of git and in options of ssh. */
const HOST = /^[a-z0-9_][a-z0-9._-]*$/i;
const SCP = /^([a-z0-9_][a-z0-9._-]*)@([^@:/]+|\[[^\]]+\]):(.+)$/i;

/** Checks the hosts of repositories, and pins connections to the addresses that were checked. */
export class PinnedRemotes {
  constructor(private readonly guard: OutboundGuard) {}

  /**
   * True if private addresses are allowed: errors of git may then be shown to users unchanged. Otherwise git never
   * connects to a private address.
   */
  get disclosesAllErrors(): boolean {
    return this.guard.allowsPrivate;
  }

  /**
   * Selects the credentials for the protocol of the address, and no others.
   * @throws SourceUnavailable with the same message for a private, unknown or invalid host.
   */
  async pin(text: string, credentials = NO_CREDENTIALS): Promise<PinnedRemote> {
    // GIT_ALLOW_PROTOCOL decides whether files are allowed.
    if (text.startsWith('file://')) return { url: text, curlResolve: undefined, sshOptions: [] };
    try {
      if (/^https?:\/\//.test(text)) return await this.#web(text, credentials);
      return await this.#ssh(text, credentials);
    } catch (error) {
      if (error instanceof NoPublicAddress) throw new SourceUnavailable(cannotBeFetched(text));
      throw error;
    }
  }

  async #web(text: string, { https }: SourceCredentials): Promise<PinnedRemote> {
    if (!URL.canParse(text)) throw new NoPublicAddress(text);
    const url = new URL(text);
    // Names with and without the trailing dot are the same host, but curl distinguishes them.
    url.hostname = url.hostname.replace(/\.$/, '');
    const curlResolve = await this.#curlResolve(url);
    if (https && url.protocol === 'http:' && !this.guard.allowsPrivate) {
      const secure = displayedUrl(text).replace('http:', 'https:');
      throw new SourceUnavailable(`the access token is not sent unencrypted: change the address to ${secure}`);
    }
    const access = https && ({ kind: 'token', origin: url.origin, ...https } as const);
    const given = this.guard.allowsPrivate && !access ? text : url.href;
    return { url: given, curlResolve, sshOptions: [], access };
  }

  async #curlResolve(url: URL): Promise<string | undefined> {
    if (this.guard.allowsPrivate) return undefined;
    const host = withoutBrackets(url.hostname);
    const addresses = await this.#addressesOf(host);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
    return isIP(host) ? undefined : `${host}:${port}:${list}`;
  }

  async #ssh(text: string, { ssh }: SourceCredentials): Promise<PinnedRemote> {
    const { host, port } = sshServer(text);
    const options = this.guard.allowsPrivate ? [] : [`HostName=${(await this.#addressesOf(host))[0]!.address}`];
    if (!ssh)
      throw new SourceUnavailable(
        `the repository ${displayedUrl(text)} needs a deploy key: create one for the web service and add it to the repository`,
      );
    const name = hostKeyName(host, port);
    options.push(`HostKeyAlias=${name}`, 'CheckHostIP=no');
    const { privateKey, knownHosts } = ssh;
    return {
      url: text,
      curlResolve: undefined,
      sshOptions: options.flatMap(option => ['-o', option]),
      access: { kind: 'ssh', privateKey, hostKeyName: name, knownHosts: knownHostsOf(name, knownHosts) },
    };
  }

  async #addressesOf(host: string): Promise<readonly HostAddress[]> {
    if (!isIP(host) && !HOST.test(host)) throw new NoPublicAddress(host);
    return this.guard.addressesOf(host);
  }
}

const sshServer = (text: string): { host: string; port: string } => {
  const url = text.startsWith('ssh://') && URL.canParse(text) ? new URL(text) : undefined;
  const host = withoutBrackets(url?.hostname ?? SCP.exec(text)?.[2] ?? '');
  if (!isIP(host) && !HOST.test(host)) throw new NoPublicAddress(text);
  return { host, port: url?.port ?? '' };
};

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');
