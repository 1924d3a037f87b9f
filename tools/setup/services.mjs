/**
 * The services, from the `service.json` in the folder of each. Plain JavaScript without dependencies, because it is also read
 * before anything is built.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const FIELDS = ['name', 'owner', 'also', 'hosted', 'database', 'secrets', 'ports', 'slo'];
const SECRETS = ['link-secrets', 'encryption-keys'];

const isPort = value => Number.isInteger(value) && value > 0 && value < 65_536;

/** What is wrong with a manifest, in the order of its fields. */
function* mistakesIn(root, folder, { name, owner, also = [], hosted = true, database = false, ...more }) {
  const { secrets = [], ports = {}, slo, ...unknown } = more;
  for (const field of Object.keys(unknown)) yield `there is no field ${field}; the fields are ${FIELDS.join(', ')}`;
  if (name !== folder) yield `name is not ${folder}, the name of its folder`;
  if (typeof owner !== 'string' || !/^[a-z]+$/.test(owner)) yield 'owner is not a team in lower case';
  if (!Array.isArray(also)) yield 'also is not a list of paths';
  else for (const path of also) if (!existsSync(join(root, path))) yield `also names ${path}, which does not exist`;
  if (typeof hosted !== 'boolean') yield 'hosted is neither true nor false';
  if (typeof database !== 'boolean') yield 'database is neither true nor false';
  if (!Array.isArray(secrets)) yield `secrets is not a list of ${SECRETS.join(' and ')}`;
  else
    for (const one of secrets)
      if (!SECRETS.includes(one)) yield `secrets names ${one}; known are ${SECRETS.join(', ')}`;
  if (hosted && !isPort(ports.health)) yield 'ports.health is not a port of its health checks';
  if (slo !== undefined) yield* mistakesInSlo(slo);
}

function* mistakesInSlo({ objective, promise, bad, total, ...unknown }) {
  for (const field of Object.keys(unknown)) yield `there is no field slo.${field}`;
  if (!(objective >= 90 && objective < 100)) yield 'slo.objective is not a percentage from 90 to below 100';
  if (typeof promise !== 'string' || promise === '') yield 'slo.promise does not say what users can rely on';
  for (const [field, query] of Object.entries({ bad, total }))
    if (typeof query !== 'string' || !query.includes('[window]'))
      yield `slo.${field} is not a query of a rate in [window]`;
}

const manifestOf = (root, folder) => {
  const file = `apps/${folder}/service.json`;
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
  const [mistake] = mistakesIn(root, folder, manifest);
  if (mistake !== undefined) throw new Error(`${file}: ${mistake}`);
  return { also: [], hosted: true, database: false, secrets: [], ports: {}, ...manifest };
};

/**
 * The manifest of every service, by name.
 * @throws with the file and field that is wrong.
 */
export const services = (root = ROOT) => {
  const found = readdirSync(join(root, 'apps'))
    .sort()
    .filter(folder => existsSync(join(root, 'apps', folder, 'service.json')))
    .map(folder => manifestOf(root, folder));
  const ports = new Map();
  for (const {
    name,
    ports: { health },
  } of found) {
    if (health === undefined) continue;
    if (ports.has(health)) throw new Error(`apps/${name}/service.json: ports.health is that of ${ports.get(health)}`);
    ports.set(health, name);
  }
  return found;
};

/** The names of the services that are hosted as such: with a user of NATS, a port of health checks and a chart. */
export const hostedServices = root => services(root).flatMap(({ name, hosted }) => (hosted ? [name] : []));

/** The names of the services with a database. */
export const servicesWithDatabase = root => services(root).flatMap(({ name, database }) => (database ? [name] : []));
