import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { createLogDrain, type LogDrain, type RequestInput } from '@postern/contracts';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import type { Runtime } from '@postern/runtime';
import type { ChangeNotices, Database } from '@postern/service-host';
import { startHttpReceiver, type TestHttpReceiver, waitFor } from '@postern/testing';
import { CreateLogDrain } from '../web-services/log-drains/create-log-drain.js';
import { DeliverLogDrains } from '../web-services/log-drains/deliver-log-drains.js';
import { DrainSender } from '../web-services/log-drains/drain-sender.js';
import { ListLogDrains } from '../web-services/log-drains/list-log-drains.js';
import { LogDrains } from '../web-services/log-drains/log-drains.js';
import type { WebServices } from '../web-services/services/web-services.projection.js';
import { silentLog } from './assemble-replica.js';
import { OWNER, ofService } from './fake-neighbours.js';
import { type Replica, WebServicesFixture } from './web-services-fixture.js';

/** The owner of every web service. */
export const owners = { requireOwner: async () => ({ userId: OWNER }) } as unknown as WebServices;
const changes = { add: () => undefined } as unknown as ChangeNotices;
const guard = new OutboundGuard({ allowPrivate: true });

/** Log drains of web services on a fake machine, with a receiver over HTTP, for the tests of a file. */
export const useLogDrains = () => {
  let fixture: WebServicesFixture;
  let replica: Replica;
  let client: EndpointHttpClient;
  let drains: LogDrains;
  let sender: DrainSender;
  let receiver: TestHttpReceiver;
  let runtime: Runtime;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    fixture = await WebServicesFixture.start();
    client = new EndpointHttpClient(guard, { timeoutMs: 500 });
    sender = new DrainSender(client, guard);
    drains = new LogDrains({ pool: fixture.pool } as Database, fixture.keys);
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await fixture?.stop();
  });
  beforeEach(async () => {
    replica = await fixture.replica();
    runtime = replica.runtime;
    receiver = await startHttpReceiver();
    stop = async () => {};
  });
  afterEach(async () => {
    await stop();
    await receiver.stop();
    await fixture.pool.query('DELETE FROM log_drains');
    fixture.machine.deletedLines = 0;
    await fixture.reset();
  });

  const create = (webServiceId: string, body: Partial<RequestInput<typeof createLogDrain>> = {}) =>
    new CreateLogDrain(owners, drains, runtime, guard).execute(
      createLogDrain.request.parse({ ...ofService(webServiceId), kind: 'https', url: receiver.url, ...body }),
    );
  const list = (webServiceId: string): Promise<LogDrain[]> =>
    new ListLogDrains(owners, drains).execute(ofService(webServiceId) as never);
  const stateOf = async ({ id, web_service_id }: { id: string; web_service_id: string }) =>
    (await list(web_service_id)).find(drain => drain.id === id)!;
  const write = (webServiceId: string, ...messages: string[]) =>
    fixture.machine.lines.push(
      ...messages.map(message => ({
        webServiceId,
        instance: 'web-1',
        stream: 'stdout' as const,
        message,
        timestamp: new Date(),
      })),
    );
  /** Serves all drains until the test ends. */
  const deliver = (by: Runtime = runtime) => {
    const controller = new AbortController();
    const done = new DeliverLogDrains(drains, by, sender, silentLog, changes).run({ signal: controller.signal });
    stop = async () => {
      controller.abort();
      await done;
    };
    return stop;
  };
  const linesIn = (requests: TestHttpReceiver['requests'] = receiver.requests) =>
    requests.flatMap(({ body }) =>
      body
        .toString()
        .trimEnd()
        .split('\n')
        .map(text => JSON.parse(text) as { id: string; message: string; deployment_id: string | null }),
    );
  const untilReceived = (...messages: string[]) =>
    waitFor(
      async () =>
        JSON.stringify(linesIn().map(({ message }) => message)) === JSON.stringify(messages) ? true : undefined,
      {
        describe: `${messages.length} lines`,
      },
    ).catch(error => {
      throw new Error(`${error.message}; received ${JSON.stringify(linesIn().map(({ message }) => message))}`);
    });
  const until = <T>(what: string, check: () => Promise<T | undefined>) => waitFor(check, { describe: what });
  const tryNow = (id: string) =>
    fixture.pool.query('UPDATE log_drains SET next_attempt_at = now() WHERE id = $1', [id]);
  return {
    ...{ of: ofService, create, list, stateOf, write, deliver, linesIn, untilReceived, until, tryNow },
    get fixture() {
      return fixture;
    },
    get replica() {
      return replica;
    },
    get drains() {
      return drains;
    },
    get sender() {
      return sender;
    },
    get receiver() {
      return receiver;
    },
  };
};
