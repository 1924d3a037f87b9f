import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

const RESOLV_CONF = '/etc/resolv.conf';
/** The servers that the stub resolver of systemd asks. */
const UPSTREAM = '/run/systemd/resolve/resolv.conf';

/** The name servers that sandboxes use, and the content of their resolv.conf. */
export interface Resolvers {
  readonly servers: readonly string[];
  readonly configuration: string;
}

const serversIn = (text: string): readonly string[] =>
  [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = '']) => server);

const isReachable = (server: string): boolean => isIPv4(server) && !server.startsWith('127.') && server !== '0.0.0.0';

/** The resolvers of the machine. A server on the loopback interface of the machine is out of reach of sandboxes. */
export const findResolvers = async (given: readonly string[] = []): Promise<Resolvers> => {
  const own = await textOf(RESOLV_CONF);
  const candidates = given.length > 0 ? [given] : [serversIn(own), serversIn(await textOf(UPSTREAM))];
  const servers = candidates.map(list => list.filter(isReachable)).find(list => list.length > 0) ?? [];
  const settings = own.split('\n').filter(line => /^\s*(search|domain|options)\s/.test(line));
  const lines = [...servers.map(server => `nameserver ${server}`), ...settings];
  return { servers, configuration: `${lines.join('\n')}\n` };
};

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
