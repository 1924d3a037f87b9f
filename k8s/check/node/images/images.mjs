/** Every image that the stages run, under the names in the charts. */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findNatsServer, findPostgres } from '@postern/testing';
import { parse } from 'yaml';
import { SERVICES } from '../../helm.mjs';
import { ROOT } from '../../tools.mjs';
import { DNS_IMAGE, PAUSE_IMAGE } from '../settings.mjs';
import { debianLayer, debianLayerWith, nodeLayer, programLayer, usersLayer } from './base-layers.mjs';
import { layer } from './layers.mjs';
import { runtimeImages } from './runtime-images.mjs';
import { builtImages } from './service-images.mjs';

const valuesOf = path => parse(readFileSync(join(ROOT, path), 'utf8'));
const { registry, tag } = valuesOf('k8s/examples/installation.yaml').global.image;
const { postgresql, nats } = valuesOf('k8s/charts/postern/values.yaml').trial;

export const RELEASE = tag;
/** A release of email-send with a further migration, and one whose migration fails. */
export const NEXT_RELEASE = '1.1.0';
export const BROKEN_RELEASE = '1.2.0';

/** @returns {string} the name of the image of a service. */
export const serviceImage = (app, version) => `${registry}/postern/${app}:${version}`;

const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin';
const hashOf = text => createHash('sha256').update(text).digest('hex').slice(0, 16);

const postgresLayer = () => {
  const native = dirname(dirname(findPostgres().initdb));
  const script = join(import.meta.dirname, 'postgres-start.sh');
  return layer('postgres', hashOf(native + readFileSync(script)), content => {
    const local = join(content, 'usr/local');
    mkdirSync(local, { recursive: true });
    cpSync(native, local, { recursive: true, verbatimSymlinks: true });
    copyFileSync(script, join(local, 'bin/postgres-start'));
    chmodSync(join(local, 'bin/postgres-start'), 0o755);
  });
};

/** Has one more migration than the previous release, so that the upgrade changes the database. */
const migrationLayer = (name, sql) =>
  layer(`migration-${name}`, hashOf(sql), content => {
    const folder = join(content, 'postern/prisma/email-send/migrations', `9000_${name}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'migration.sql'), sql);
  });

const serviceImages = async context => {
  const built = await builtImages(context, SERVICES);
  const images = SERVICES.map(app => ({ name: serviceImage(app, tag), ...built[app] }));
  const further = { succeeds: NEXT_RELEASE, fails: BROKEN_RELEASE };
  const statements = {
    succeeds: 'CREATE TABLE "check_of_upgrades" ("id" INTEGER PRIMARY KEY);\n',
    fails: 'SELECT 1 / 0;\n',
  };
  for (const [name, version] of Object.entries(further)) {
    const migration = await migrationLayer(name, statements[name]);
    const { config, layers } = built['email-send'];
    images.push({ name: serviceImage('email-send', version), config, layers: [...layers, migration] });
  }
  return images;
};

/** @returns {Promise<{ name: string, config: object, layers: string[] }[]>} */
export const allImages = async ({ debian, programs, folder }) => {
  const base = await debianLayer(debian);
  const users = await usersLayer(debian);
  const program = async (name, image, below = []) => ({
    name: image,
    config: { Entrypoint: [`/${name}`] },
    layers: [...below, await programLayer(name, programs[name])],
  });
  const natsServer = (await findNatsServer({ version: '2.12' })).path;
  const natsFiles = await layer('nats-server', hashOf(readFileSync(natsServer)), content =>
    copyFileSync(natsServer, join(content, 'nats-server')),
  );
  return [
    await program('pause', PAUSE_IMAGE),
    await program('coredns', DNS_IMAGE, [base]),
    {
      name: postgresql.image,
      config: { Env: [PATH], Entrypoint: ['postgres-start'], StopSignal: 'SIGINT' },
      layers: [await debianLayerWith(debian, 'postgresql-client'), users, await postgresLayer()],
    },
    { name: nats.image, config: { Env: [PATH], Entrypoint: ['/nats-server'] }, layers: [base, natsFiles] },
    ...(await serviceImages({ debian, programs, folder })),
    ...(await runtimeImages({ debian, programs, folder, base, users })),
  ];
};

/** Default base images of web services on Docker Hub, by repository and tag. */
export const publishedImages = async debian => ({
  'library/node:24-bookworm-slim': {
    config: { Env: [PATH], Cmd: ['node'] },
    layers: [await debianLayer(debian), await nodeLayer()],
  },
});
