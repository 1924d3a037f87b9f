import type { ServiceNames } from './service-names.ts';

/** The sources of a service and its contract. */
export const serviceSources = (names: ServiceNames): Readonly<Record<string, string>> => {
  const { name } = names;
  const counts = `apps/${name}/src/event-counts`;
  return {
    [`libs/contracts/src/${name}/requests.ts`]: contract(names),
    [`apps/${name}/src/config.ts`]: config(names),
    [`apps/${name}/src/main.ts`]: main(names),
    [`apps/${name}/src/${name}.module.ts`]: serviceModule(names),
    [`apps/${name}/src/operations/operations.module.ts`]: operations(names),
    [`apps/${name}/src/infrastructure/postgres/prisma.module.ts`]: PRISMA,
    [`apps/${name}/src/infrastructure/postgres/sql-statements.int.spec.ts`]: STATEMENTS,
    [`apps/${name}/src/testing/migrated-database.ts`]: migratedDatabase(names),
    [`${counts}/event-counts.module.ts`]: countsModule(names),
    [`${counts}/event-counts.sql.ts`]: SQL,
    [`${counts}/count-events.ts`]: countEvents(names),
    [`${counts}/list-event-counts.ts`]: listCounts(names),
    [`${counts}/event-counts.int.spec.ts`]: spec(names),
  };
};

const contract = ({ name, Name }: ServiceNames): string => `import { z } from 'zod';
import { requestsOf } from '../request.js';
import { noContent, timestamp } from '../shapes.js';

const request = requestsOf('${name}', ['operator']);

export const list${Name}Counts = request('list-event-counts', {
  request: noContent,
  reply: z.object({
    counts: z.array(z.object({ type: z.string(), events: z.int(), latest_at: timestamp })),
  }),
});
`;

const config = ({
  name,
  Name,
}: ServiceNames): string => `import { type ConfigOf, databaseSettings, defineConfig } from '@postern/service-host/config';

/** Every setting of ${name}. */
export const config = defineConfig({ ...databaseSettings });

export type ${Name}Config = ConfigOf<typeof config>;
`;

const main = ({
  name,
  Name,
}: ServiceNames): string => `import { migrateEventStore } from '@postern/event-sourcing/postgres';
import { runService } from '@postern/service-host';
import { config } from './config.js';
import { ${Name}Module } from './${name}.module.js';

await runService({
  name: '${name}',
  config,
  module: ${Name}Module,
  database: {
    directory: new URL('../../../prisma/${name}/migrations', import.meta.url),
    afterwards: migrateEventStore,
  },
});
`;

const serviceModule = ({ name, Name, follows }: ServiceNames): string => `import { Module } from '@nestjs/common';
import { EventSourcingModule } from '@postern/service-host';
import { EventCountsModule } from './event-counts/event-counts.module.js';
import { operations } from './operations/operations.module.js';

/** Counts events of ${follows}. The service publishes no events. */
@Module({
  imports: [EventSourcingModule.forService({ service: '${name}', projections: [] }), EventCountsModule, operations],
})
export class ${Name}Module {}
`;

const operations = ({ name }: ServiceNames): string => `import { OperationsModule } from '@postern/service-host';

/** The operator's requests: consumers, diagnosis. The service stores nothing about recipients. */
export const operations = OperationsModule.forService({ service: '${name}', useFactory: () => ({}) });
`;

const PRISMA = `import { PrismaModule } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';

/** The generated Prisma client. */
export const prisma = PrismaModule.forClient(PrismaClient);
`;

const STATEMENTS = `import { statementsFitTheSchema } from '@postern/testing/statements-suite';
import { migratedDatabase } from '../../testing/migrated-database.js';

statementsFitTheSchema(new URL('../../', import.meta.url), migratedDatabase);
`;

const migratedDatabase = ({
  name,
}: ServiceNames): string => `import { databasesOf } from '@postern/service-host/testing';

/** The migrations of this service, and a database of it without content. */
export const { migrations, migratedDatabase } = databasesOf('${name}');
`;

const countsModule = ({ follows }: ServiceNames): string => `import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { CountEvents } from './count-events.js';
import { ListEventCounts } from './list-event-counts.js';

/** How many events of ${follows} have arrived. */
@Module({ imports: [prisma], providers: [CountEvents, ListEventCounts] })
export class EventCountsModule {}
`;

const SQL = `/** Adds events to the counts: \`$1\` their types, \`$2\` when they occurred. */
export const COUNT_EVENTS = \`
  INSERT INTO event_counts (type, events, latest_at)
  SELECT type, count(*), max(at) FROM unnest($1::text[], $2::timestamptz[]) AS arrived (type, at)
  GROUP BY type ORDER BY type
  ON CONFLICT (type) DO UPDATE SET events = event_counts.events + EXCLUDED.events,
    latest_at = greatest(event_counts.latest_at, EXCLUDED.latest_at)\`;
`;

const countEvents = ({
  variable,
  follows,
  event,
}: ServiceNames): string => `import { Injectable } from '@nestjs/common';
import { ${event}, ${variable}Consumer } from '@postern/contracts';
import type { EventTransaction } from '@postern/event-sourcing/postgres';
import { type EventBatch, HandlesEventsInTransaction } from '@postern/messaging';
import { COUNT_EVENTS } from './event-counts.sql.js';

/** Counts each event of ${follows} exactly once: in the transaction in which the position of the consumer moves. */
@Injectable()
export class CountEvents {
  @HandlesEventsInTransaction([${event}], ${variable}Consumer)
  async on(batch: EventBatch<typeof ${event}>, { client }: EventTransaction): Promise<void> {
    await client.query(COUNT_EVENTS, [batch.map(({ type }) => type), batch.map(({ data }) => data.at)]);
  }
}
`;

const listCounts = ({
  Name,
}: ServiceNames): string => `import { list${Name}Counts, type ReplyOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { PrismaClient } from '../generated/prisma/client.js';

/** The counts, by type. */
@Handles(list${Name}Counts)
export class ListEventCounts {
  constructor(private readonly prisma: PrismaClient) {}

  async execute(): Promise<ReplyOf<typeof list${Name}Counts>> {
    const rows = await this.prisma.eventCount.findMany({ orderBy: { type: 'asc' } });
    return { counts: rows.map(({ type, events, latestAt }) => ({ type, events, latest_at: latestAt.toISOString() })) };
  }
}
`;

const spec = ({
  name,
  Name,
  follows,
  event,
  fields,
}: ServiceNames): string => `import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ${event}, list${Name}Counts } from '@postern/contracts';
import { connectNats, type NatsLink, RequestClient } from '@postern/messaging';
import { type RunningService, startService } from '@postern/service-host';
import { TestEventSource } from '@postern/service-host/testing';
import { Cleanup, startNats, startPostgres, waitFor } from '@postern/testing';
import { config } from '../config.js';
import { ${Name}Module } from '../${name}.module.js';
import { migratedDatabase, migrations } from '../testing/migrated-database.js';

const cleanup = new Cleanup();
let service: RunningService;
let link: NatsLink;
let source: TestEventSource;

beforeAll(async () => {
  const postgres = await startPostgres({ durable: false });
  cleanup.push(() => postgres.stop());
  const nats = await startNats();
  cleanup.push(() => nats.stop());
  const environment = {
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: await migratedDatabase(postgres),
    POSTERN_HTTP_PORT: '0',
    POSTERN_LOG_LEVEL: 'error',
  };
  service = await startService({ name: '${name}', config, module: ${Name}Module, database: migrations }, environment);
  cleanup.push(() => service.stop());
  link = await connectNats({ servers: nats.url, name: 'test' });
  cleanup.push(() => link.close());
  const databaseUrl = await postgres.createDatabase();
  source = await TestEventSource.start({ service: '${follows}', contracts: [${event}], link, databaseUrl });
  cleanup.push(() => source.stop());
}, 60_000);
afterAll(() => cleanup.run());

const at = '2026-03-01T10:00:00.000Z';
const counts = async () => (await new RequestClient(link).request(list${Name}Counts, {})).counts;

it('every event of ${follows} is counted once', async () => {
  const data = { ${fields.map(field => `${field}: randomUUID()`).join(', ')}, at };
  for (let published = 1; published <= 3; published++) {
    await source.publish([{ id: randomUUID(), type: ${event}.type, data }]);
    await waitFor(async () => (await counts())[0]?.events === published, { describe: 'the event to be counted' });
  }
  expect(await counts()).toEqual([{ type: ${event}.type, events: 3, latest_at: at }]);
});

it('the service is healthy and has metrics', async () => {
  const get = (path: string) => fetch(\`http://127.0.0.1:\${service.port}\${path}\`);
  expect((await get('/health/ready')).status).toBe(200);
  expect(await (await get('/metrics')).text()).toContain('service_name="${name}"');
});
`;
