import { isIP } from 'node:net';
import { type HostAddress, NoPublicAddress, type OutboundGuard } from '@postern/outbound';
import { SourceUnavailable } from '@postern/runtime';
import { cannotBeFetched } from './git-refusals.js';

/** A repository whose host was checked, and what keeps git from resolving that host again. */
export interface PinnedRemote {
  /** What git is given: the address in the form that was checked. */
  readonly url: string;
  /** Host, port and addresses of an HTTP server, as `http.curloptResolve` takes them (git 2.37). */
  readonly curlResolve: string | undefined;
  readonly sshOptions: readonly string[];
}

/** What can be a host name in settings of git and in options of ssh. */
const HOST = /^[a-z0-9_][a-z0-9._-]*$/i;
const SCP = /^([a-z0-9_][a-z0-9._-]*)@([^@:/]+|\[[^\]]+\]):(.+)$/i;

/** Checks the hosts of repositories, and pins connections to the addresses that were checked. */
export class PinnedRemotes {
  constructor(private readonly guard: OutboundGuard) {}

  /** Whether what git says may be repeated to users as it is: no address of an inner network is ever asked otherwise. */
  get tellsEverything(): boolean {
    return this.guard.allowsPrivate;
  }

  /** @throws SourceUnavailable with the same words for a host that is private, unknown, or none. */
  async pin(text: string): Promise<PinnedRemote> {
    // GIT_ALLOW_PROTOCOL decides whether files are allowed.
    if (this.guard.allowsPrivate || text.startsWith('file://'))
      return { url: text, curlResolve: undefined, sshOptions: [] };
    try {
      if (/^https?:\/\//.test(text)) return await this.#web(text);
      return await this.#ssh(text);
    } catch (error) {
      if (error instanceof NoPublicAddress) throw new SourceUnavailable(cannotBeFetched(text));
      throw error;
    }
  }

  async #web(text: string): Promise<PinnedRemote> {
    if (!URL.canParse(text)) throw new NoPublicAddress(text);
    const url = new URL(text);
    // Names with and without the last dot are the same host, but not for curl.
    url.hostname = url.hostname.replace(/\.$/, '');
    const host = withoutBrackets(url.hostname);
    const addresses = await this.#addressesOf(host);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
    return { url: url.href, curlResolve: isIP(host) ? undefined : `${host}:${port}:${list}`, sshOptions: [] };
  }

  async #ssh(text: string): Promise<PinnedRemote> {
    const host = text.startsWith('ssh://') && URL.canParse(text) ? new URL(text).hostname : SCP.exec(text)?.[2];
    if (!host) throw new NoPublicAddress(text);
    const name = withoutBrackets(host);
    const [first] = await this.#addressesOf(name);
    const options = [`HostName=${first!.address}`, `HostKeyAlias=${name}`, 'CheckHostIP=no'];
    return { url: text, curlResolve: undefined, sshOptions: options.flatMap(option => ['-o', option]) };
  }

  async #addressesOf(host: string): Promise<readonly HostAddress[]> {
    if (!isIP(host) && !HOST.test(host)) throw new NoPublicAddress(host);
    return this.guard.addressesOf(host);
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');
