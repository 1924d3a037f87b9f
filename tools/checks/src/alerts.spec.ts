import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { services } from '../../setup/services.mjs';
import { ownedServices } from './owners.js';
import { withServiceLevels } from './service-levels.js';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const ALERTS = 'observability/prometheus/alerts.yaml';

interface Alert {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Alerts of the objectives of services, one for each owner. */
const isObjective = (alert: string): boolean => alert.startsWith('PosternErrorBudget');

const { groups } = parse(read(ALERTS)) as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const teams = new Map(ownedServices(ROOT).map(({ service, team }) => [service, team]));
const boards = readdirSync(join(ROOT, 'observability/grafana')).map(
  file => (JSON.parse(read(`observability/grafana/${file}`)) as { readonly uid: string }).uid,
);
const runbooks = new Map(
  read('docs/runbooks.md')
    .split(/^## /m)
    .slice(1)
    .map(section => [section.split('\n', 1)[0] as string, section]),
);

describe('the alert', () => {
  it.each(alerts)('$alert has a severity, a service and a team', ({ labels }) => {
    expect(['page', 'ticket']).toContain(labels['severity']);
    const service = labels['service'] ?? '';
    // Alerts that any service can cause go to those who run the installation.
    const isOfAny = /^\{\{ \$labels\.(service_name|consumer) \}\}$/.test(service);
    expect(labels['team']).toBe(isOfAny ? 'operations' : (teams.get(service) ?? `the owner of ${service}`));
  });

  it.each(alerts)(
    '$alert links to its runbook, which names its team and severity',
    ({ alert, labels, annotations }) => {
      expect(annotations['runbook_url']).toBe(`https://postern.example.com/docs/runbooks#${alert.toLowerCase()}`);
      const runbook = runbooks.get(alert) ?? '';
      expect(runbook).toContain(`**Severity**: ${labels['severity']}.`);
      const ofOwners = '**Team**: the owner of the service that the alert names.';
      expect(runbook).toContain(isObjective(alert) ? ofOwners : `**Team**: ${labels['team']}.`);
      expect(runbook).toMatch(/^- \*\*Action\*\*: \S/m);
    },
  );

  it.each(alerts)('$alert links to a dashboard', ({ annotations }) => {
    const board = /^https:\/\/grafana\.example\.com\/d\/([a-z-]+)(\?var-service=.+)?$/.exec(
      annotations['dashboard_url'] ?? '',
    );
    expect(boards).toContain(board?.[1]);
  });
});

it('every runbook is that of an alert', () =>
  expect([...runbooks.keys()]).toEqual([...new Set(alerts.map(({ alert }) => alert))]));

describe('the objective', () => {
  it.each(services(ROOT).filter(({ hosted }) => hosted))(
    '$name has one, with alerts of its team',
    ({ name, owner, slo }) => {
      expect(slo?.objective).toBeGreaterThanOrEqual(99);
      const own = alerts.filter(({ alert, labels }) => isObjective(alert) && labels['service'] === name);
      expect(own.map(({ labels }) => [labels['severity'], labels['team']])).toEqual([
        ['page', owner],
        ['ticket', owner],
      ]);
    },
  );

  it('has the alerts of service.json; `node tools/checks/services.mjs` writes them anew', () =>
    expect(read(ALERTS)).toBe(withServiceLevels(read(ALERTS), services(ROOT))));
});

it('the chart has the same alerts; `node k8s/check/check.mjs --write` copies them', () =>
  expect(read('k8s/charts/service/files/alerts.yaml')).toBe(read(ALERTS)));
