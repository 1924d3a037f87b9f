import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../configuration/read-configuration.js';
import { EXAMPLE, MACHINE, SETTINGS } from '../testing/example.js';
import { golden } from '../testing/golden.js';
import { renderFiles, unitsOf } from './render.js';
import { GENERATED_SECRETS } from './secrets.js';

const rendered = (text: string, machine = MACHINE) =>
  renderFiles({ configuration: readConfiguration(text, SETTINGS), machine });
const textOf = (path: string, text = EXAMPLE, machine = MACHINE) =>
  rendered(text, machine).find(file => file.path.endsWith(path))?.text ?? '';

describe('The configuration of docs/install.md', () => {
  const files = rendered(EXAMPLE);

  // The users of NATS have a golden file of their own, docker/nats-users.conf.
  it.each(files.filter(({ path }) => !path.endsWith('nats-users.conf')).map(({ path, text }) => [path, text]))(
    'is rendered as the golden file of %s',
    (path, text) => expect(text).toBe(golden(path, text)),
  );

  it('gives each unit only secrets that exist, as credentials, and has none in a file', () => {
    const credentials = files.flatMap(({ text }) =>
      [...text.matchAll(/^LoadCredential=([\w-]+):(.*)$/gm)].map(([, name, path]) => ({ name, path })),
    );
    expect(credentials.length).toBeGreaterThan(10);
    for (const { name, path } of credentials) {
      expect(GENERATED_SECRETS).toContain(name);
      expect(path).toBe(`/etc/postern/secrets/${name}`);
    }
    for (const { text } of files) expect(text).not.toMatch(/^Environment=.*(?:PASSWORD|SECRET|TOKEN|KEYS)=/m);
  });

  it('starts each process again whenever it ends, without a limit', () => {
    const services = files.filter(({ path, text }) => path.endsWith('.service') && !/Type=oneshot/.test(text));
    expect(services).toHaveLength(15);
    for (const { text } of services) expect(text).toMatch(/StartLimitIntervalSec=0[\s\S]*Restart=always/);
  });

  it.each([
    ['api-gateway', '127.0.0.1:8080'],
    ['delivery-tracking', '0.0.0.0:2525'],
  ])('keeps the port of %s open while its process is replaced', (service, address) => {
    expect(textOf(`postern-${service}.socket`)).toContain(`ListenStream=${address}\n`);
    expect(textOf(`/postern-${service}.service`)).toMatch(
      new RegExp(`After=.*postern-${service}\\.socket[\\s\\S]*Requires=postern-${service}\\.socket`),
    );
  });

  it('lets no service but the runtime agent and Postfix run as root', () => {
    const asRoot = files
      .filter(
        ({ path, text }) => path.endsWith('.service') && !/Type=oneshot/.test(text) && !/^User=(?!root)/m.test(text),
      )
      .map(({ path }) => path.split('/').at(-1));
    expect(asRoot.sort()).toEqual(['postern-postfix.service', 'postern-runtime-agent.service']);
  });
});

describe('Rendering', () => {
  it('leaves out the platform without apps, and Postfix with a relay', () => {
    const units = unitsOf(rendered(EXAMPLE.replace(/^apps.*\n/m, '').replace('direct', 'smtps://u@smtp.example.net')));
    expect(units.filter(unit => /runtime-agent|load-balancer|instances|postfix/.test(unit))).toEqual([]);
    expect(units).toContain('postern-email-send.service');
  });

  it('gives the URL of a relay with its password to email-send as a credential', () =>
    expect(textOf('postern-email-send.service', EXAMPLE.replace('direct', 'smtps://u@smtp.example.net'))).toMatch(
      /POSTERN_RELAYS_FILE=%d\/relay-url[\s\S]*LoadCredential=relay-url:/,
    ));

  it('copies backups to a bucket every minute, if there is one', () => {
    const timer = '/postern-backup-copy.timer';
    expect(textOf(timer, `${EXAMPLE}backup: { to: "s3://backups" }`)).toContain('OnUnitActiveSec=1min');
    expect(textOf(timer)).toBe('');
  });

  it('keeps the ports of SSH open, and has no filter of incoming packets if the firewall is off', () => {
    expect(textOf('nftables.conf', EXAMPLE, { ...MACHINE, sshPorts: [2222, 22] })).toContain(
      'tcp dport { 2222, 22, 80, 443, 465, 587 }',
    );
    expect(textOf('nftables.conf', `${EXAMPLE}firewall: false`)).not.toContain('policy drop');
  });

  it('lets owners open databases only if a host for them is configured', () => {
    const unit = (text: string) => textOf('postern-runtime-agent.service', text);
    expect(unit(EXAMPLE)).not.toContain('POSTERN_PLATFORM_DATABASE_HOST');
    expect(unit(`${EXAMPLE}databases: { external_host: db.example.com }`)).toContain(
      'POSTERN_PLATFORM_DATABASE_HOST=db.example.com',
    );
  });

  it('accepts reports over IPv6, too, on a server that has it', () =>
    expect(textOf('postern-delivery-tracking.socket', EXAMPLE, { ...MACHINE, ipv6: true })).toContain(
      'ListenStream=[::]:2525',
    ));

  it('quotes values of settings for systemd', () =>
    expect(
      textOf(
        'postern-email-send.service',
        `${EXAMPLE}advanced: { email-send: { POSTERN_COMPLAINT_SENDERS: 'a"b\\c%d' } }`,
      ),
    ).toContain(String.raw`"POSTERN_COMPLAINT_SENDERS=a\"b\\c%%d"`));
});
