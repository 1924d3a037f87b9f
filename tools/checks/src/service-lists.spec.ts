import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Service, services } from '../../setup/services.mjs';
import { SERVICE_LISTS } from './service-lists.js';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const known = services(ROOT);
const hosted = known.filter(service => service.hosted);

const sixth: Service = {
  name: 'sixth-service-6',
  owner: 'sixth',
  also: [],
  hosted: true,
  database: true,
  secrets: ['encryption-keys'],
  ports: { health: 9999 },
};

describe('A list of services in a shared file', () => {
  it.each(SERVICE_LISTS)('has those of service.json; `node tools/checks/services.mjs` writes it: $file', list =>
    expect([...list.read(read(list.file))].sort()).toEqual([...list.names(known)].sort()),
  );

  it.each(SERVICE_LISTS)('gets a sixth service, and loses it again: $file', list => {
    const before = read(list.file);
    const with6 = list.write(before, list.names([...known, sixth]));
    expect(list.read(with6)).toEqual([...list.read(before), 'sixth-service-6']);
    expect(list.read(list.write(with6, list.names(known)))).toEqual(list.read(before));
  });
});

describe('A service', () => {
  it.each(hosted)('has values with the same secrets for its chart: $name', ({ name, database, secrets }) => {
    const values = parse(read(`k8s/values/${name}.yaml`)) as { app: string; secrets: Record<string, unknown> };
    expect(values.app).toBe(name);
    expect('POSTERN_DATABASE_URL' in values.secrets).toBe(database);
    expect('POSTERN_ENCRYPTION_KEYS' in values.secrets).toBe(secrets.includes('encryption-keys'));
    expect('POSTERN_LINK_SECRETS' in values.secrets).toBe(secrets.includes('link-secrets'));
  });

  const order = SERVICE_LISTS.find(({ file }) => file.endsWith('one-server/src/rendering/model.ts'));
  it.each(hosted)('has the port of its health checks on one server: $name', ({ name, ports }) =>
    expect(ports.health).toBe(9090 + (order?.read(read(order.file)).indexOf(name) ?? 0)),
  );
});
