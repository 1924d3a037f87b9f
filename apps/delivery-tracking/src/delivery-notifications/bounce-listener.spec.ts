import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { selfSignedCertificate } from '@postern/mail';
import type { ServiceLog } from '@postern/service-host';
import { config } from '../config.js';
import { BounceListener } from './bounce-listener.js';
import type { ReceiveDomainReports } from './receive-domain-reports.js';
import type { ReceiveReport } from './receive-report.js';
import type { ReportMetrics } from './report-metrics.js';

const SETTINGS = 'POSTERN_BOUNCE_TLS_CERT_FILE, POSTERN_BOUNCE_TLS_KEY_FILE';

describe('The certificate of the bounce listener is refused in one line that names its settings', () => {
  it('without its key', () => {
    expect(() => listenerWith({ POSTERN_BOUNCE_TLS_CERT_FILE: file('cert.pem', own.cert) })).toThrow(
      expect.objectContaining({ name: 'ConfigError', problems: [`${SETTINGS}: set both; one of them is missing.`] }),
    );
  });

  it('with the key of another certificate', () => {
    const foreign = selfSignedCertificate('bounces.test').key;
    const files = {
      POSTERN_BOUNCE_TLS_CERT_FILE: file('cert.pem', own.cert),
      POSTERN_BOUNCE_TLS_KEY_FILE: file('foreign.pem', foreign),
    };
    expect(() => listenerWith(files)).toThrow(
      expect.objectContaining({
        name: 'ConfigError',
        problems: [expect.stringMatching(`^${SETTINGS}: not a certificate and its key: .*key values mismatch$`)],
      }),
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), 'postern-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const own = selfSignedCertificate('bounces.test');
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const listenerWith = (environment: Record<string, string>) =>
  new BounceListener(
    config.read({
      POSTERN_DATABASE_URL: 'postgres://localhost/tracking',
      POSTERN_LINK_SECRETS: 'x'.repeat(32),
      POSTERN_BOUNCE_DOMAIN: 'bounces.test',
      ...environment,
    }),
    {} as ReceiveReport,
    {} as ReceiveDomainReports,
    {} as ReportMetrics,
    {} as ServiceLog,
  );
