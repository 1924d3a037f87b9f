import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, built, find, objectsOf, render, SERVICES, whole } from './helm.mjs';

const definitionOf = async service => {
  const { config } = await built(`apps/${service}/dist/config.js`);
  return config;
};

/** Values of the Secrets in the table of the README. */
const SECRET_VALUES = {
  'database-url': 'postgresql://service:password@postgresql.databases:5432/service',
  'encryption-keys': `2026:${Buffer.alloc(32, 1).toString('base64')}`,
  'link-secrets': 'f'.repeat(64),
  relays: 'smtp://user:password@relay.example.com:587',
  'sandbox-dkim-key': Buffer.from('PEM').toString('base64'),
  'operator-email': 'owner@example.com',
  'operator-password': 'a-long-password',
  user: 'postern',
  password: 'password',
};

const environmentOf = (objects, service, { optional }) => {
  const [{ env }] = find(objects, 'Deployment', service).spec.template.spec.containers;
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      const reference = valueFrom?.secretKeyRef;
      if (!reference) return [[name, value]];
      if (reference.optional && !optional) return [];
      return [[name, SECRET_VALUES[reference.key] ?? assert.fail(`what does the key ${reference.key} hold?`)]];
    }),
  );
};

const tracing = ['--set', 'global.tracing.endpoint=http://collector.monitoring:4318'];
const together = objectsOf(render([...whole, ...tracing]));

describe('The typed configuration', () => {
  for (const service of SERVICES) {
    it(`of ${service} accepts the values of the chart, with and without optional Secrets`, async () => {
      const definition = await definitionOf(service);
      for (const objects of [together, objectsOf(render(alone(service)))]) {
        for (const optional of [true, false]) definition.read(environmentOf(objects, service, { optional }));
      }
    });

    it(`of ${service} has every variable that the chart sets`, async () => {
      const { describeConfig } = await built('libs/service-host/dist/config.js');
      const known = new Set(describeConfig(await definitionOf(service)).map(({ variable }) => variable));
      const unknown = Object.keys(environmentOf(together, service, { optional: true })).filter(
        variable => variable.startsWith('POSTERN_') && !known.has(variable),
      );
      assert.deepEqual(unknown, []);
    });
  }
});
