import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { services as manifests } from '../../../setup/services.mjs';
import { readConfiguration } from '../configuration/read-configuration.js';
import { EXAMPLE, IMAGES, MACHINE, SETTINGS } from '../testing/example.js';
import { golden } from '../testing/golden.js';
import { COPIED, COPIED_FOR_POSTFIX, containerSecretsOf, renderCompose } from './compose.js';
import { environmentOf } from './environment.js';
import { SERVICES } from './model.js';
import { secretsOf } from './secrets.js';

interface Container {
  readonly [field: string]: unknown;
  readonly image?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '../../../..');
const COPIES = Object.fromEntries(
  [...COPIED, ...COPIED_FOR_POSTFIX].map(path => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

const modelOf = (text: string) => ({ configuration: readConfiguration(text, SETTINGS), machine: MACHINE });
const filesOf = (text = EXAMPLE, copies = COPIES) => renderCompose(modelOf(text), IMAGES, copies);
const textOf = (path: string, text = EXAMPLE) => filesOf(text).find(file => file.path === path)?.text ?? '';
const composed = (text = EXAMPLE, copies = COPIES) => {
  const found = filesOf(text, copies).find(({ path }) => path === 'compose.yaml');
  return parse(found?.text ?? '') as {
    readonly services: Readonly<Record<string, Container>>;
    readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  };
};
const inNetwork = (network: string, text = EXAMPLE): readonly string[] =>
  Object.entries(composed(text).services)
    .filter(([, { networks = [] }]) => (Array.isArray(networks) ? networks : Object.keys(networks)).includes(network))
    .map(([name]) => name)
    .sort();

describe('The configuration of docs/install.md as containers', () => {
  const { services, networks, secrets } = composed();

  it.each(['compose.yaml', 'Caddyfile', 'nats.conf'])('is rendered as the golden file of %s', path =>
    expect(textOf(path)).toBe(golden(`containers/${path}`, textOf(path))),
  );

  it.each(SERVICES)('runs the published image of %s, by its digest', service =>
    expect(services[service]?.image).toMatch(
      new RegExp(`^registry\\.example\\.com/postern/${service}:.*@sha256:[0-9a-f]{64}$`),
    ),
  );

  it.each(Object.entries(services))('gives %s no way to privileges, and a bounded log', (_name, container) => {
    expect(container).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      logging: { driver: 'local', options: { 'max-size': '20m' } },
    });
    expect(container).not.toHaveProperty('privileged');
  });

  it('has writable file systems only in volumes, except for Postfix, which writes its configuration', () =>
    expect(Object.keys(services).filter(name => services[name]?.['read_only'] !== true)).toEqual(['postfix']));

  it('names a file for each secret, and has none in a variable', () => {
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./secrets/${name}`);
    for (const { environment = {}, secrets: used = [] } of Object.values(services)) {
      for (const [variable, value] of Object.entries(environment)) {
        expect(variable).not.toMatch(/(?:PASSWORD|SECRETS?|TOKEN|KEYS?)$|^POSTERN_DATABASE_URL$/);
        if (variable.endsWith('_FILE') && value.startsWith('/run/secrets/'))
          expect(used).toContain(value.slice('/run/secrets/'.length));
      }
      for (const secret of used) expect(secrets).toHaveProperty([secret]);
    }
  });

  it('publishes only the ports of the web and of incoming mail', () =>
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual([
      '80:80',
      '443:443',
      '443:443/udp',
      '25:2525',
    ]));

  it('keeps code of web services away from everything but NATS and Caddy', () => {
    expect(inNetwork('tenants')).toEqual(['caddy', 'nats', 'web-services']);
    expect(services['web-services']?.networks).toEqual(['tenants']);
  });

  it.each(['runtime-agent', 'load-balancer'])('gives %s a network that outlives the containers in it', service => {
    expect(services[service]).toMatchObject({ network_mode: 'service:web-services' });
    expect(services[service]).not.toHaveProperty('networks');
  });

  it('lets only email-send and delivery-tracking reach Postfix', () =>
    expect(inNetwork('mail')).toEqual(['delivery-tracking', 'email-send', 'postfix']));

  it('gives the databases and brokers no way to the internet', () => {
    expect(networks['back']).toEqual({ internal: true });
    expect(services['postgres']?.networks).toEqual(['back']);
  });
});

/** Settings that only one kind of installation has: SMTP submission, the report of the hourly check, and what containers lack. */
const ONLY_ON_ONE_SERVER = /^POSTERN_(SUBMISSION_|SYSTEM_REPORT_FILE|PLATFORM_POSTGRES_BIN|PLATFORM_GATEWAY_ADDRESSES)/;

describe.each(SERVICES)('A container of %s', service => {
  const model = modelOf(EXAMPLE);
  const ofUnit = [
    ...Object.keys(environmentOf(service, model)),
    ...Object.keys(secretsOf(service, model.configuration)),
  ];
  const names = (container: Container | undefined, secrets: readonly string[]) =>
    Object.keys(container?.environment ?? {}).map(name =>
      secrets.includes(name.replace(/_FILE$/, '')) ? name.replace(/_FILE$/, '') : name,
    );

  it('has the settings of its unit', () => {
    const secrets = Object.keys(containerSecretsOf(service, model));
    const inContainer = names(composed().services[service], secrets);
    expect([...inContainer].sort()).toEqual(ofUnit.filter(name => !ONLY_ON_ONE_SERVER.test(name)).sort());
  });
});

it.each(manifests(ROOT))('A container of $name has the database and the secrets of its service.json', manifest => {
  const { environment = {} } = composed().services[manifest.name] as Container;
  expect('POSTERN_DATABASE_URL_FILE' in environment).toBe(manifest.database);
  expect('POSTERN_ENCRYPTION_KEYS_FILE' in environment).toBe(manifest.secrets.includes('encryption-keys'));
  expect('POSTERN_LINK_SECRETS_FILE' in environment).toBe(manifest.secrets.includes('link-secrets'));
  expect(environment['POSTERN_NATS_USER']).toBe(manifest.hosted ? manifest.name : undefined);
});

describe('Rendering containers', () => {
  const withoutApps = EXAMPLE.replace(/^apps.*\n/m, '');
  const advanced = (value: string) => `${EXAMPLE}advanced: { email-send: { POSTERN_COMPLAINT_SENDERS: '${value}' } }`;

  it('has no platform without apps, and no Postfix with a relay', () => {
    const { services, networks } = composed(withoutApps.replace('direct', 'smtps://u@smtp.example.net'));
    expect(Object.keys(services).filter(name => /runtime-agent|load-balancer|web-services|postfix/.test(name))).toEqual(
      [],
    );
    expect(Object.keys(networks)).toEqual(['back', 'front', 'internet']);
    expect(services['email-send']?.environment['POSTERN_RELAYS_FILE']).toBe('/run/secrets/relay-url');
  });

  it('keeps a dollar sign of a setting, which Compose would replace', () => {
    const { environment } = composed(advanced('a$b$HOME')).services['email-send'] as Container;
    expect(environment['POSTERN_COMPLAINT_SENDERS']).toBe('a$$b$$HOME');
  });

  it('creates a container again when a file changes that it reads at its start', () => {
    const labelOf = (name: string, text: string) => composed(text).services[name]?.labels?.['postern.files'];
    const other = EXAMPLE.replace('ops@example.com', 'other@example.com');
    expect(labelOf('caddy', other)).not.toBe(labelOf('caddy', EXAMPLE));
    expect(labelOf('nats', other)).toBe(labelOf('nats', EXAMPLE));
  });

  it('trusts the headers of Caddy only', () => {
    const { services } = composed();
    const networks = services['caddy']?.['networks'] as Record<string, { ipv4_address: string }> | undefined;
    const addressIn = (network: string) => networks?.[network]?.ipv4_address;
    expect(services['api-gateway']?.environment['POSTERN_TRUSTED_PROXIES']).toBe(addressIn('front'));
    expect(services['load-balancer']?.environment['POSTERN_PLATFORM_BALANCER_TRUSTED_PROXIES']).toBe(
      addressIn('tenants'),
    );
  });

  it('mounts the certificate of a private authority for Caddy', () => {
    const acme = 'acme: { email: a@example.com, directory: "https://ca.example.com/acme", trust: /etc/ssl/ca.crt }';
    const text = EXAMPLE.replace(/^acme.*$/m, acme);
    expect(composed(text).services['caddy']?.['volumes']).toContain('/etc/ssl/ca.crt:/etc/ssl/ca.crt:ro');
    expect(textOf('Caddyfile', text)).toContain('acme_ca_root /etc/ssl/ca.crt');
  });

  it('lets the start of Postfix be executed', () =>
    expect(
      filesOf()
        .filter(({ mode }) => mode === 0o755)
        .map(({ path }) => path),
    ).toEqual(['docker/postfix/start']));

  it('names the image of Postfix by its files, so that a release that changes them builds it again', () => {
    const imageOf = (copies: typeof COPIES) => composed(EXAMPLE, copies).services['postfix']?.image;
    expect(imageOf({ ...COPIES, 'docker/postfix/start': '#!/bin/sh' })).not.toBe(imageOf(COPIES));
    expect(imageOf({ ...COPIES, 'docker/pg_hba.conf': '' })).toBe(imageOf(COPIES));
  });

  it('has an image for each container', () =>
    expect(Object.entries(composed().services).filter(([, { image }]) => !image)).toEqual([]));
});
