/** The compose.yaml of a configuration, as `postern config compose` writes it, with images that were built here. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { writeComposition } from '../../tools/one-server/dist/commands/compose.js';
import { readConfiguration } from '../../tools/one-server/dist/configuration/read-configuration.js';
import { SecretStore } from '../../tools/one-server/dist/machine/secret-store.js';
import { servicesOf } from '../../tools/one-server/dist/rendering/model.js';

export const CONFIGURATION = `host: postern.example.com
apps: apps.example.com
mail: { domain: mail.example.com, send: direct }
acme: ops@example.com
operator: owner@example.com
`;

const MACHINE = { postgresBin: '', memoryMib: 4_096, ipv6: false, sshPorts: [] };

/** Writes the folder of a configuration. @returns the path of compose.yaml, and the secrets of the installation */
export const render = (folder, text = CONFIGURATION) => {
  mkdirSync(folder, { recursive: true });
  const configuration = readConfiguration(text, {});
  const images = Object.fromEntries(servicesOf(configuration).map(name => [name, `localhost/postern/${name}`]));
  const secrets = new SecretStore(join(folder, 'source-of-secrets'));
  if (configuration.mail.send !== 'direct') secrets.write('relay-password', 'a password of the check');
  writeComposition(join(folder, 'containers'), { configuration, machine: MACHINE }, images, secrets);
  return { file: join(folder, 'containers/compose.yaml'), secrets };
};

/** Without what Podman lacks: limits on machines without control groups of its own, and the log driver of Docker. */
export const forPodman = file => {
  const document = parse(readFileSync(file, 'utf8'), { version: '1.1' });
  for (const service of Object.values(document.services)) {
    delete service.mem_limit;
    delete service.ulimits;
    delete service.logging;
  }
  writeFileSync(file, stringify(document, { aliasDuplicateObjects: false, version: '1.1' }));
};
