import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '../rendering/model.js';
import { run } from './run.js';

const POSTGRES = '/usr/lib/postgresql';
const OLDEST_POSTGRES = 15;

/** The folder of the newest installed PostgreSQL, or that of the version that wrote the existing data. */
export const postgresBinOf = (dataVersion: string | undefined, folder = POSTGRES): string => {
  const installed = existsSync(folder)
    ? readdirSync(folder).filter(name => existsSync(join(folder, name, 'bin/initdb')))
    : [];
  const usable = installed
    .filter(name => Number(name) >= OLDEST_POSTGRES)
    .sort((one, other) => Number(other) - Number(one));
  const chosen = dataVersion === undefined ? usable[0] : installed.find(name => name === dataVersion);
  if (chosen !== undefined) return join(folder, chosen, 'bin');
  throw new Error(
    dataVersion === undefined
      ? `PostgreSQL ${OLDEST_POSTGRES} or newer is not installed: apt-get install postgresql`
      : `PostgreSQL ${dataVersion}, which wrote the data of Postern, is not installed: apt-get install postgresql-${dataVersion}`,
  );
};

/** Ports of the SSH server, so that the firewall does not exclude the administrator. */
const sshPorts = async (): Promise<readonly number[]> => {
  const configured = await run('/usr/sbin/sshd', ['-T']).catch(() => '');
  const ports = [...configured.matchAll(/^port (\d+)$/gm)].map(([, port]) => Number(port));
  return ports.length > 0 ? ports : [22];
};

const hasIpv6 = (): boolean => {
  try {
    return readFileSync('/proc/net/if_inet6', 'utf8')
      .split('\n')
      .some(line => line !== '' && !line.trimEnd().endsWith(' lo'));
  } catch {
    return false;
  }
};

const memoryMib = (): number => Math.floor(totalmem() / 1024 ** 2);

/** For what does not depend on the servers of this machine, such as containers and DNS records. */
export const factsWithoutServers = (): Machine => ({
  postgresBin: '',
  memoryMib: memoryMib(),
  ipv6: false,
  sshPorts: [],
});

/** What rendering has to know about this machine. */
export const machineFacts = async (dataVersion: string | undefined): Promise<Machine> => ({
  postgresBin: postgresBinOf(dataVersion),
  memoryMib: memoryMib(),
  ipv6: hasIpv6(),
  sshPorts: await sshPorts(),
});
