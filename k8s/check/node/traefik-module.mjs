/** The module of Traefik, built without lego's DNS providers. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { go } from '../tools.mjs';
import { NODE_CACHE } from './settings.mjs';

const MODULE = join(import.meta.dirname, 'traefik');
const LEGO = 'github.com/go-acme/lego/v4';
const PROVIDERS = 'providers/dns';

/** @returns {string} the folder of a module that Traefik's module pins. */
const moduleFolder = name => JSON.parse(go(['mod', 'download', '-json', name], { cwd: MODULE })).Dir;

/** Go's cache of modules is read-only. */
const makeWritable = folder => {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
};

/** @returns {{ options: string[], remove: () => void }} options of `go build`, and what removes the files that they name. */
export const withoutDnsProviders = () => {
  const folder = join(NODE_CACHE, `traefik.${process.pid}`);
  const lego = join(folder, 'lego');
  mkdirSync(folder, { recursive: true });
  cpSync(moduleFolder(LEGO), lego, { recursive: true });
  makeWritable(lego);
  rmSync(join(lego, PROVIDERS), { recursive: true });
  mkdirSync(join(lego, PROVIDERS));
  copyFileSync(join(MODULE, 'dns/none.go'), join(lego, PROVIDERS, 'none.go'));
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(MODULE, name), join(folder, name));
  appendFileSync(join(folder, 'go.mod'), `\nreplace ${LEGO} => ${lego}\n`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { options: [`-modfile=${join(folder, 'go.mod')}`], remove };
};

/** @returns {string} the folder of the standard definitions of the Gateway API, at the version that Traefik is built with. */
export const gatewayDefinitions = () => {
  const key = createHash('sha256')
    .update(readFileSync(join(MODULE, 'go.mod')))
    .digest('hex');
  const folder = join(NODE_CACHE, `gateway-api-${key.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  cpSync(join(moduleFolder('sigs.k8s.io/gateway-api'), 'config/crd/standard'), unfinished, { recursive: true });
  makeWritable(unfinished);
  renameSync(unfinished, folder);
  return folder;
};
