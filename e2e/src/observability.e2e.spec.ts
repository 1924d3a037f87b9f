import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import { namesIn, seriesIn } from './prometheus.js';
import { sharedPlatform } from './stories.js';

const FOLDER = join(import.meta.dirname, '../../observability');
const MAIL = { from: 'orders@shop.test', subject: 'Your receipt', text: 'Thanks.' };

/** The format of promtool. */
interface RuleTest {
  readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

/** Every PromQL expression of the files, by location. */
const expressions = (): [place: string, expression: string][] => {
  const dashboards = readdirSync(join(FOLDER, 'grafana')).flatMap(file => {
    const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana', file), 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    return panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [`${file}, ${title}`, expr]),
    );
  });
  const { groups } = parseYaml(readFileSync(join(FOLDER, 'prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert, expr }): [string, string] => [alert, expr]));
  // This installation has no cells; cells.int.spec.ts of the gateway reads their metrics.
  return [...dashboards, ...alerts.filter(([, expr]) => !expr.includes('postern_cells_'))];
};

const platform = await sharedPlatform();
let exposed: string;
let shown: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  const web = await platform.service({ 'index.html': 'hello' }, { build_command: 'false' });
  const { id: deploymentId } = await web.requestDeployment();
  const sender = await platform.world.sender('Shop', 'shop.test');
  const delivered = await sender.send({ ...MAIL, to: ['ada@customers.test'] });
  const bounced = await sender.send({ ...MAIL, to: ['hard-bounce@simulator.test'] });
  await sender.send({ ...MAIL, to: [] });
  await sender.event('delivered', delivered.body['id'] as string);
  await sender.event('bounced', bounced.body['id'] as string);
  await web.outcomeOf(deploymentId);
  const urls = Object.values(platform.world.postern.metricsUrls());
  const headers = { authorization: `Bearer ${platform.world.postern.metricsToken}` };
  for (const url of urls) expect((await fetch(url)).status).toBe(401);
  const answers = await Promise.all(urls.map(async url => (await fetch(url, { headers })).text()));
  exposed = answers.join('\n');
  shown = seriesIn(exposed);
}, 120_000);

it('every service names its release, and runtime-agent reaches the load balancer', () => {
  for (const service of ['api-gateway', 'email-send', 'webhook-dispatch', 'runtime-agent'])
    expect(exposed).toMatch(new RegExp(`^postern_build_info\\{.*service_name="${service}".*\\} 1`, 'm'));
  expect(exposed).toMatch(/^postern_load_balancer_up\{.*\} 1/m);
});

describe('a dashboard or an alert', () => {
  it.each(expressions())('uses only metrics that a service exposes: %s', (_place, expression) => {
    const { metrics, labels } = namesIn(expression);
    expect(metrics).not.toEqual([]);
    expect(metrics.filter(name => !shown.has(name))).toEqual([]);
    const known = new Set(metrics.flatMap(name => [...(shown.get(name) ?? [])]));
    expect(labels.filter(label => !known.has(label))).toEqual([]);
  });

  it('would be detected if it used an unknown metric', () => {
    const { metrics, labels } = namesIn('sum by (anything) (rate(postern_emails_imagined_total[5m]))');
    expect(metrics.map(name => shown.has(name))).toEqual([false]);
    expect(labels).toEqual(['anything']);
    expect(() => namesIn('rate(postern_emails_sent_total[5m]')).toThrow('not PromQL');
  });
});

describe('a graph of durations', () => {
  interface Target {
    readonly expr: string;
    readonly exemplar?: boolean;
  }
  const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');

  it.each(readdirSync(join(FOLDER, 'grafana')))('shows the exemplars of its buckets: %s', file => {
    const { panels } = JSON.parse(read(`grafana/${file}`)) as { panels: { targets?: Target[] }[] };
    const targets = panels.flatMap(({ targets = [] }) => targets);
    const durations = targets.filter(({ expr }) => expr.includes('_bucket'));
    expect(durations.length).toBeGreaterThan(0);
    expect(targets.filter(({ exemplar }) => exemplar === true)).toEqual(durations);
  });

  it('opens the trace of an exemplar in a data source that the example defines', () => {
    const { datasources } = parseYaml(read('grafana-datasources.yaml')) as {
      datasources: {
        uid: string;
        type: string;
        jsonData?: { exemplarTraceIdDestinations: { name: string; datasourceUid: string }[] };
      }[];
    };
    const destinations = datasources.flatMap(({ jsonData }) => jsonData?.exemplarTraceIdDestinations ?? []);
    expect(destinations).toMatchObject([{ name: 'trace_id' }]);
    expect(datasources.find(({ uid }) => uid === destinations[0]?.datasourceUid)?.type).toBe('tempo');
  });
});

describe('every alert', () => {
  const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
  const names = [...read('prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);

  it('is tested with the condition that it must fire on', () => {
    const { tests } = parseYaml(read('prometheus/alerts.test.yaml')) as { tests: RuleTest[] };
    const tried = tests.flatMap(({ alert_rule_test = [] }) => alert_rule_test.filter(one => one.exp_alerts?.length));
    expect([...new Set(names)]).toEqual([...new Set(tried.map(({ alertname }) => alertname))]);
  });
});
