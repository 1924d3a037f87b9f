import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ReleaseContract } from '@postern/compatibility';
import { isRequestContract } from '@postern/contracts';
import { CLIENTS, contractsOfCheckout, RELEASED, releasedContracts, sourcesOf } from './checkout.js';
import { breaksOf, missingPlansOfCheckout, type Sources } from './contracts.js';
import { contractsNamed, requestName } from './release-contract.js';
import { importedContracts } from './sent-requests.js';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = new URL('../sources.mjs', import.meta.url).href;

describe('every service of the checkout', () => {
  const released = releasedContracts(ROOT);
  let contracts: ReadonlyMap<string, ReleaseContract>;
  beforeAll(async () => {
    contracts = new Map((await contractsOfCheckout(ROOT)).map(contract => [contract.service, contract]));
  });
  const contractNamed = (service: string) => contracts.get(service) as ReleaseContract;

  it.each(Object.keys(RELEASED))('%s is compatible with every release', service =>
    expect(breaksOf(contractNamed(service), released)).toEqual([]),
  );

  it.each(Object.keys(RELEASED))('%s has a handler for every request of the service', service => {
    const handled = sourcesOf(ROOT, service).flatMap(source => [
      ...[...source.matchAll(/@Handles(?:Request)?\((\w+)\)/g)].flatMap(([, name = '']) => contractsNamed(name)),
      ...(/OperationsModule\.forService\(/.test(source) ? contractsNamed('OPERATIONS') : []),
      ...(/EventSourcingModule\.forService\(/.test(source) ? contractsNamed('EVENT_FEEDS') : []),
    ]);
    const names = handled.filter(isRequestContract).map(requestName);
    expect(new Set(names.filter(name => name.startsWith(`${service}.`)))).toEqual(
      new Set(Object.keys(contractNamed(service).answers)),
    );
  });

  it.each(Object.keys(CLIENTS))('%s sends requests that exist', client =>
    expect(CLIENTS[client]?.filter(name => contractsNamed(name).length === 0)).toEqual([]),
  );

  it('the session requests of the command are those whose paths occur in its sources', () => {
    const pathsOf = (name: string) =>
      contractsNamed(name).flatMap(contract => ('http' in contract ? contract.http.map(({ path }) => path) : []));
    const known = new Set((CLIENTS['command'] ?? []).flatMap(pathsOf).map(path => path.replaceAll(/\{\w+\}/g, '{}')));
    const written = sourcesOf(ROOT, 'command').flatMap(source =>
      [...source.matchAll(/['`](\/(?:email-services|me)\b[^'`]*)['`]/g)].map(([, path = '']) =>
        path.replaceAll(/\$\{[^}]*\}/g, '{}'),
      ),
    );
    expect(written.length).toBeGreaterThan(4);
    expect(written.filter(path => !known.has(path))).toEqual([]);
  });

  it('sends what its code and its libraries import, as far as NATS permits it', () => {
    const sentBy = (service: string) => Object.keys(contractNamed(service).asks);
    expect(sentBy('webhook-dispatch')).toEqual(
      expect.arrayContaining(['delivery-tracking.read-events-for-webhook-dispatch']),
    );
    expect(sentBy('email-send')).toContain('delivery-tracking.erase-recipient-step');
    expect(sentBy('email-send').filter(name => name.endsWith('.retry-set-aside-event'))).toEqual([]);
    expect(sentBy('command')).toContain('webhook-dispatch.retry-set-aside-event');
  });

  it('the gateway has the operations of both APIs and the webhook calls', () => {
    const { http, webhooks } = contractNamed('api-gateway');
    expect(http['POST /emails']?.errors).toContain('401 api_key_missing');
    expect(http['GET /api/v1/projects']?.access).toEqual([
      'platform-key viewer',
      'platform-key member',
      'platform-key owner',
    ]);
    expect(http['GET /dashboard/api/projects']?.access).toContain('session viewer');
    expect(http['GET /api/v1/databases']?.request.properties?.['query limit']).toMatchObject({ default: 50 });
    expect(Object.keys(webhooks)).toContain('delivered');
  });

  it('ignores type imports', () =>
    expect(
      importedContracts(`
        import { type EmailRecord, emailAccepted, getEmail as get } from '@postern/contracts';
        import type { listEmails } from '@postern/contracts';
        import { other } from '@postern/messaging';`),
    ).toEqual(['emailAccepted', 'getEmail']));
});

it('every unit that has changed since its release, by itself or by a library, has a version plan', async () => {
  const { sourcesIn } = (await import(SOURCES)) as { sourcesIn(root: string): Sources };
  expect(await missingPlansOfCheckout(ROOT, sourcesIn(ROOT))).toEqual([]);
});

it('every version plan is for a single release', () => {
  const folder = join(ROOT, '.nx/version-plans');
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.md')) : [];
  const planned = files.map(file => {
    const [, front = ''] = readFileSync(join(folder, file), 'utf8').split(/^---$/m);
    return [file, ...front.trim().split('\n')].join(' ');
  });
  const one = new RegExp(`^\\S+ ['"]?(${Object.keys(RELEASED).join('|')})['"]?: \\w+$`);
  expect(planned.filter(plan => !one.test(plan))).toEqual([]);
});
