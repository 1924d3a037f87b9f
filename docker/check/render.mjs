/** The compose.yaml of a configuration, as `postern config compose` writes it, with images that were built here. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeComposition } from '../../tools/one-server/dist/commands/compose.js';
import { readConfiguration } from '../../tools/one-server/dist/configuration/read-configuration.js';
import { SecretStore } from '../../tools/one-server/dist/machine/secret-store.js';
import { servicesOf } from '../../tools/one-server/dist/rendering/model.js';
import { builtImageOf } from './published.mjs';

export const CONFIGURATION = `host: postern.example.com
apps: apps.example.com
mail: { domain: mail.example.com, send: direct }
acme: ops@example.com
operator: owner@example.com
`;

const MACHINE = { postgresBin: '', memoryMib: 4_096, ipv6: false, sshPorts: [] };

/** Writes the folder of a configuration. @returns the path of compose.yaml, and the secrets of the installation */
export const render = (folder, text = CONFIGURATION, images = undefined) => {
  mkdirSync(folder, { recursive: true });
  const configuration = readConfiguration(text, {});
  const named = images ?? Object.fromEntries(servicesOf(configuration).map(name => [name, builtImageOf(name)]));
  const secrets = new SecretStore(join(folder, 'source-of-secrets'));
  if (configuration.mail.send !== 'direct') secrets.write('relay-password', 'a password of the check');
  writeComposition(join(folder, 'containers'), { configuration, machine: MACHINE }, named, secrets);
  return { file: join(folder, 'containers/compose.yaml'), secrets };
};

/** Caddy signs certificates itself, because no authority reaches this machine, which may also allow fewer open files. */
export const adaptToThisMachine = file => {
  const [, mostFiles] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  const limit = (_, name, value) => `${name}${Math.min(Number(value), Number(mostFiles ?? value))}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(nofile: )(\d+)/g, limit));
  const caddyfile = join(dirname(file), 'Caddyfile');
  const text = readFileSync(caddyfile, 'utf8').replace(/^\tacme_ca .*$/m, '\tlocal_certs\n\tskip_install_trust');
  writeFileSync(caddyfile, text);
};
