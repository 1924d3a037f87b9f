/** A file that breaks exactly one rule, with the other files that it needs. */
interface ExampleViolation {
  readonly rule: string;
  readonly at: string;
  readonly text: string;
  readonly beside?: Readonly<Record<string, string>>;
}

const APP = 'apps/email-send/src';
const PLATFORM = 'apps/platform-management/src';
const DECIDER = 'export const apiKey: Decider<ApiKey, ApiKeyCommand, ApiKeyEvent> = {};';
const COMMAND = `@Handles(emailSend.createApiKey)
  @Injectable()
  export class CreateApiKey {
  async execute() {}
}`;
const ADAPTER = "import { Pool } from 'pg';\nexport class PostgresKeys {}";

const PURE = 'a decider and everything it imports is pure';
const NO_TECHNOLOGY = 'a command imports no technology';
const NO_CYCLE = 'the contexts and features of an app form no cycle, type imports included';
const SHARES =
  'a feature shares its ports, pure files, statements, read models, what its module exports and, with modules, its module';

export const VIOLATIONS: readonly ExampleViolation[] = [
  ...["'SELECT id FROM api_keys'", '`\n  INSERT INTO api_keys VALUES ($1)`', "'DELETE FROM api_keys'"].map(sql => ({
    rule: 'a statement on tables is an exported constant, which a spec prepares against the schema',
    at: `${APP}/api-keys/api-keys.projection.ts`,
    text: `export const read = (pool: Pool) => pool.query(${sql});`,
  })),
  ...['Date.now() - DAY_MS', 'new Date().getTime() + DAY_MS'].map(time => ({
    rule: 'what expires and what is deleted is decided by the clock of PostgreSQL',
    at: `${APP}/api-keys/purge-keys.ts`,
    text: `await keys.deleteBefore(new Date(${time}));`,
  })),
  ...['new pg.Pool({ max: 4 })', 'new pg.Client(url)', 'new VerifyingClient(url)'].map(connection => ({
    rule: 'every connection to PostgreSQL has the limits of database-limits.ts',
    at: 'libs/event-sourcing/src/postgres/leader.ts',
    text: `import pg from 'pg';\nconst connection = ${connection};`,
  })),
  {
    rule: 'an abstract class has two implementations, or one and a fake; otherwise others use the class itself',
    at: `${APP}/api-keys/ports.ts`,
    text: 'export abstract class Keys {\n  abstract find(id: string): Promise<Key>;\n}',
    beside: { [`${APP}/api-keys/postgres-keys.ts`]: 'export class PostgresKeys extends Keys {}' },
  },
  {
    rule: 'an abstract class has two implementations, or one and a fake; otherwise others use the class itself',
    at: 'libs/outbound/src/resolver.ts',
    text: 'export abstract class Resolver {\n  abstract find(host: string): Promise<string>;\n}',
    beside: { [`${APP}/emails/dns.ts`]: 'export class Dns extends Resolver {}' },
  },
  {
    rule: 'contracts know zod and nothing else',
    at: 'libs/contracts/src/x.ts',
    text: "import pg from 'pg';",
  },
  {
    rule: 'event-sourcing knows neither Nest nor a service, and pg only in postgres/',
    at: 'libs/event-sourcing/src/x.ts',
    text: "import { Pool } from 'pg';",
  },
  {
    rule: 'libraries never import apps',
    at: 'libs/mail/src/x.ts',
    text: "import { x } from '../../../apps/email-send/src/ports.js';",
  },
  {
    rule: 'apps never import apps',
    at: `${APP}/x.ts`,
    text: "import { x } from '../../delivery-tracking/src/ports.js';",
  },
  { rule: 'apps never import apps', at: `${APP}/x.ts`, text: "import { x } from '@postern/runtime-agent';" },
  {
    rule: 'only the runtime agent starts processes and knows the cluster',
    at: 'apps/platform-management/src/web-services/x.ts',
    text: "import { spawn } from 'node:child_process';",
    beside: { 'apps/runtime-agent/src/main.ts': '' },
  },
  {
    rule: 'only the runtime agent starts processes and knows the cluster',
    at: 'apps/platform-management/src/infrastructure/kubernetes/x.ts',
    text: "import { KubeConfig } from '@kubernetes/client-node';",
    beside: { 'apps/runtime-agent/src/main.ts': '' },
  },
  { rule: 'no forwardRef, no global modules', at: `${APP}/x.ts`, text: 'const x = forwardRef(() => Y);' },
  { rule: 'no forwardRef, no global modules', at: `${APP}/x.module.ts`, text: '@Global() export class X {}' },
  { rule: 'no forwardRef, no global modules', at: `${APP}/x.module.ts`, text: 'const x = { global: true };' },
  {
    rule: 'index.ts is only the entry point of a library or tool',
    at: `${APP}/api-keys/index.ts`,
    text: 'export {};',
  },
  {
    rule: 'no file of an app only exports from others',
    at: `${APP}/api-keys/api-keys.ts`,
    text: "export * from './api-key.js';\nexport {\n  b,\n} from './b.js';\n",
  },
  { rule: 'files have full kebab-case names that say what they hold', at: `${APP}/utils.ts`, text: 'const x = 1;' },
  { rule: PURE, at: `${APP}/api-keys/api-key.ts`, text: `import { Injectable } from '@nestjs/common';\n${DECIDER}` },
  { rule: PURE, at: `${APP}/api-keys/api-key.ts`, text: `import { createHash } from 'node:crypto';\n${DECIDER}` },
  { rule: PURE, at: `${APP}/api-keys/api-key.ts`, text: `${DECIDER}\nconst now = Date.now();` },
  { rule: PURE, at: `${APP}/api-keys/api-key.ts`, text: `${DECIDER}\nconst id = Math.random();` },
  { rule: PURE, at: `${APP}/api-keys/api-key.ts`, text: `${DECIDER}\nconst zone = process.env.TZ;` },
  {
    rule: PURE,
    at: `${APP}/api-keys/api-key.ts`,
    text: `import { lifetime } from './lifetime.js';\n${DECIDER}`,
    beside: {
      [`${APP}/api-keys/lifetime.ts`]: "import type { Row } from './rows.js';",
      [`${APP}/api-keys/rows.ts`]: "import { PrismaClient } from '../generated/prisma/client.js';",
    },
  },
  { rule: NO_TECHNOLOGY, at: `${APP}/api-keys/create-api-key.ts`, text: `import http from 'node:http';\n${COMMAND}` },
  {
    rule: NO_TECHNOLOGY,
    at: `${APP}/api-keys/create-api-key.ts`,
    text: COMMAND.replace('{}', '{ throw new NotFoundException(); }'),
  },
  {
    rule: 'a command writes through one port, so that all it changes is one transaction',
    at: `${APP}/api-keys/create-api-key.ts`,
    text: `@Handles(emailSend.createApiKey)
      export class CreateApiKey {
        constructor(private readonly streams: Streams, private readonly keys: KeyRows, readonly rows: SenderDirectory) {}
        async execute() {
          await this.streams.execute(apiKey, 'api-key-1', await this.rows.find('1'));
          await this.keys.store('1');
        }
      }`,
  },
  {
    rule: 'a read model decides nothing',
    at: `${APP}/api-keys/api-keys.projection.ts`,
    text: "import { CreateApiKey } from './create-api-key.js';",
    beside: { [`${APP}/api-keys/create-api-key.ts`]: COMMAND },
  },
  {
    rule: 'ports know no technology',
    at: `${APP}/api-keys/ports.ts`,
    text: "import type { PoolClient } from 'pg';",
  },
  {
    rule: SHARES,
    at: `${APP}/emails/send-email.ts`,
    text: "import { CreateApiKey } from '../api-keys/create-api-key.js';",
    beside: { [`${APP}/api-keys/create-api-key.ts`]: `import { Injectable } from '@nestjs/common';\n${COMMAND}` },
  },
  {
    rule: SHARES,
    at: `${APP}/emails/emails.module.ts`,
    text: "import { PostgresKeys } from '../api-keys/postgres-keys.js';",
    beside: { [`${APP}/api-keys/postgres-keys.ts`]: ADAPTER },
  },
  {
    rule: SHARES,
    at: `${APP}/emails/schedule.ts`,
    text: "import { ApiKeysModule } from '../api-keys/api-keys.module.js';",
    beside: { [`${PLATFORM}/api-keys/api-keys.module.ts`]: "import { Module } from '@nestjs/common';" },
  },
  ...['import { Key }', 'import type { Key }'].map(key => ({
    rule: NO_CYCLE,
    at: `${PLATFORM}/emails/email.ts`,
    text: `${key} from '../api-keys/key.js';`,
    beside: { [`${PLATFORM}/api-keys/key.ts`]: "import type { Email } from '../emails/email.js';" },
  })),
  {
    rule: NO_CYCLE,
    at: `${PLATFORM}/services/limits/limit.ts`,
    text: "import type { Key } from '../keys/key.js';",
    beside: {
      [`${PLATFORM}/services/keys/keys.module.ts`]: '',
      [`${PLATFORM}/services/keys/key.ts`]: "import type { Limit } from '../limits/limit.js';",
      [`${PLATFORM}/services/limits/limits.module.ts`]: '',
    },
  },
  {
    rule: NO_CYCLE,
    at: `${PLATFORM}/services/limits/limit.ts`,
    text: "import type { Email } from '../../emails/email.js';",
    beside: {
      [`${PLATFORM}/emails/email.ts`]: "import type { Key } from '../services/keys/key.js';",
      [`${PLATFORM}/services/keys/keys.module.ts`]: '',
      [`${PLATFORM}/services/keys/key.ts`]: '',
      [`${PLATFORM}/services/limits/limits.module.ts`]: '',
    },
  },
  {
    rule: 'infrastructure imports no feature',
    at: `${PLATFORM}/infrastructure/postgres/event-sourcing.module.ts`,
    text: "import { apiKeys } from '../../api-keys/api-keys.projection.js';",
  },
  {
    rule: 'infrastructure of one technology imports no other, and no command',
    at: `${APP}/infrastructure/nats/x.ts`,
    text: "import { Relay } from '../smtp/relay.js';",
    beside: { [`${APP}/infrastructure/smtp/relay.ts`]: "import nodemailer from 'nodemailer';" },
  },
  { rule: 'apps are divided by features', at: `${APP}/commands/x.ts`, text: 'const x = 1;' },
];
