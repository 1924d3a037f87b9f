import { describe, expect, it } from '@jest/globals';
import { planOf } from '../blueprint/plan.js';
import { convertCompose } from './conversion.js';
import { databaseOfImage } from './database-images.js';

const convert = (text: string) =>
  convertCompose({
    file: 'compose.yaml',
    text,
    project: 'shop',
    repository: 'https://git.example.com/shop.git',
    folder: '',
    lookup: () => undefined,
    envFile: () => undefined,
  });

/** The attachments, the variables and the notes of `web` with a database `db`. */
const web = (image: string, settings: string) => {
  const { blueprint, notes } = convert(
    `services: {web: {build: ., expose: [1], ${settings}}, db: {image: "${image}"}}`,
  );
  const { databases, env } = blueprint.services['web']!;
  return { databases, env, notes: notes.slice(1) };
};

describe('Database images', () => {
  it.each([
    ['postgres', { kind: 'relational' }],
    ['postgres:alpine', { kind: 'relational' }],
    ['postgres:17', { kind: 'relational', version: '17' }],
    ['docker.io/library/postgres:16.3-alpine3.20@sha256:ab', { kind: 'relational', version: '16' }],
    ['pgvector/pgvector:0.8.0-pg17', { kind: 'relational', version: '17', extension: 'vector' }],
    ['postgis/postgis:16-3.4-alpine', { kind: 'relational', version: '16', extension: 'postgis' }],
    ['redis:7-alpine', { kind: 'key_value' }],
    ['valkey/valkey:8', { kind: 'key_value' }],
  ])('%s is one', (image, expected) => {
    const { technology: _, ...found } = databaseOfImage(image)!;
    expect(found).toEqual(expected);
  });

  it.each(['ghcr.io/ada/postgres:17', 'nginx', 'postgres-backup', 'constructor', 'redis/redis-stack'])(
    '%s is none',
    image => {
      expect(databaseOfImage(image)).toBeUndefined();
    },
  );
});

describe('A database of a Compose file', () => {
  it('is created with its version, and attached as the variable that held its URL', () => {
    const { blueprint, notes } = convert(`services:
  web:
    build: .
    ports: ["3000:3000"]
    environment: {DATABASE: "postgres://ada:pw@db:5432/shop", LEVEL: info}
    depends_on: {db: {condition: service_healthy}}
  db:
    image: postgres:17-alpine
    environment: {POSTGRES_PASSWORD: pw}
    volumes: [db:/var/lib/postgresql/data]
    healthcheck: {test: pg_isready}
volumes: {db: {}}`);
    expect(blueprint).toMatchObject({
      databases: { 'shop-db': { kind: 'relational', version: '17' } },
      services: { web: { env: { LEVEL: 'info' }, databases: { 'shop-db': 'DATABASE' } } },
      disks: {},
    });
    expect(Object.keys(blueprint.services)).toEqual(['web']);
    expect(notes).toEqual([
      'db becomes the PostgreSQL database shop-db, with a user, a password and settings of Postern: its environment is not used.',
      'DATABASE of web gets the URL of shop-db.',
    ]);
    const nothing = { project: undefined, services: new Map(), databases: new Map(), emailServices: new Map() };
    expect(planOf(blueprint, nothing, { prune: false }).steps.map(({ what, changes }) => [what, ...changes])).toEqual([
      ['project shop'],
      ['database shop-db', 'relational', 'version 17'],
      ['service web', 'https://git.example.com/shop.git'],
      ['variables of web', 'LEVEL'],
      ['attachment of shop-db to web', 'DATABASE'],
    ]);
  });

  it.each([
    ['postgres', 'depends_on: [db]', 'DATABASE_URL'],
    ['redis', 'links: [db]', 'REDIS_URL'],
    ['redis', 'environment: {BROKER: "redis://db:6379/0"}', 'BROKER'],
    ['postgres', 'environment: {A: "postgresql+asyncpg://u:p@db/app"}', 'A'],
  ])('%s is attached by %s as %s', (image, settings, variable) => {
    expect(web(image, settings)).toMatchObject({ databases: { 'shop-db': variable }, env: {} });
  });

  it('names a scheme that its URL does not have', () => {
    expect(web('postgres', 'environment: {A: "postgresql+asyncpg://db/app"}').notes).toEqual([
      'A of web gets the URL of shop-db, which begins with postgresql:// and not with postgresql+asyncpg://.',
    ]);
  });

  it('is not attached to a service that does not name it', () => {
    expect(web('postgres', 'environment: {A: b, POSTGRES_DB: db, B: "dbs:5432"}').databases).toEqual({});
  });

  it.each([
    [
      'redis',
      'environment: {A: "redis://db/0", B: "redis://db/1"}',
      {},
      'B of web is left out: have web read A, which has the URL of db.',
    ],
    [
      'postgres',
      'environment: {DB_HOST: db}',
      { DB_HOST: 'db' },
      'DB_HOST of web names db, which has no such host here: have web read DATABASE_URL.',
    ],
    [
      'postgres',
      'environment: {A: "x=postgres://db"}',
      { A: 'x=postgres://db' },
      'A of web contains a URL of db, which is not replaced: have web read DATABASE_URL.',
    ],
  ])('%s with %s names what it cannot replace', (image, settings, env, note) => {
    const found = web(image, settings);
    expect(found.env).toEqual(env);
    expect(found.notes).toContain(note);
  });

  it('with an extension names the command that enables it', () => {
    expect(web('pgvector/pgvector:pg17', 'depends_on: [db]').notes).toContain(
      'Enable the extension of db when it runs: postern databases enable-extension shop-db vector',
    );
  });
});
