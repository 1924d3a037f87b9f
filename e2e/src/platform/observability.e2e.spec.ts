import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@postern/testing';
import { OtlpReceiver, type ReceivedSpan } from '../otlp-receiver.js';
import { PlatformWorld, type Service } from './platform-world.js';
import { webApp } from './repository.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';
const SECRET = 'nobody-is-to-read-this';

let collector: OtlpReceiver;
let platform: PlatformWorld;
let metricsUrl: string;
let service: Service;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  // The sampling ratio is 0, so every span belongs to a request whose client requested a trace.
  const traced = { POSTERN_OTLP_ENDPOINT: collector.url, POSTERN_TRACE_RATIO: '0' };
  platform = await PlatformWorld.start({
    environment: {
      'api-gateway': traced,
      'platform-management': { ...traced, POSTERN_HTTP_PORT: String(port) },
      'runtime-agent': traced,
    },
  });
  service = await platform.service(webApp('one'), { build_command: 'true' });
  await platform.writer.put(`/projects/${service.projectId}/secrets/bulk`, {
    secrets: [{ key: 'TOKEN', value: SECRET, scope: 'production' }],
  });
}, 120_000);

afterAll(async () => {
  await platform?.stop();
  await collector.stop();
});

/** The span and its ancestors, up to the client. */
const originsOf = (span: ReceivedSpan): string[] => {
  const cause = collector.spans.find(({ spanId }) => spanId === span.parentId);
  const root = span.parentId === CLIENT_SPAN ? 'the client' : `something unknown (${span.parentId})`;
  return [span.name, ...(cause ? originsOf(cause) : [root])];
};

const spansNamed = (name: string) => collector.spans.filter(span => span.name === name);

const requestTraced = async (): Promise<string> => {
  const { status, body } = await platform.world.call('POST', `/api/v1${service.path}/deployments`, {
    headers: {
      authorization: `Bearer ${platform.writer.key}`,
      traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`,
    },
    body: {},
  });
  expect(status).toBe(202);
  return String(body['id']);
};

const shown = async (line: RegExp): Promise<number> => {
  const headers = { authorization: `Bearer ${platform.world.postern.metricsToken}` };
  const text = await (await fetch(metricsUrl, { headers })).text();
  return Number(
    text
      .split('\n')
      .find(each => line.test(each))
      ?.split(' ')[1],
  );
};

describe('the trace of a request for a deployment', () => {
  let deploymentId: string;

  beforeAll(async () => {
    deploymentId = await requestTraced();
    expect(await service.outcomeOf(deploymentId)).toMatchObject({ status: 'live' });
  }, 90_000);

  it('continues through fetching and building to its release', async () => {
    const request = [
      'platform-management/create-deployment',
      'platform-management/create-deployment',
      'POST /api/v1/web-services/:web_service_id/deployments',
      'the client',
    ];
    const build = ['build deployment', ...request];
    const release = ['release deployment', ...request];
    const order = ['runtime-agent/start-order', 'runtime-agent/start-order', 'build artefact', ...build];
    await eventually(
      () => {
        expect(spansNamed('resolve source').map(originsOf)).toEqual([['resolve source', ...build]]);
        expect(spansNamed('fetch source').map(originsOf)).toEqual([['fetch source', ...order]]);
        expect(spansNamed('run build command').map(originsOf)).toEqual([['run build command', ...order]]);
        expect(spansNamed('roll instances').map(originsOf)).toEqual([['roll instances', ...release]]);
        expect(spansNamed('conclude release').map(originsOf)).toEqual([['conclude release', ...release]]);
      },
      { timeoutMs: 30_000 },
    );
  }, 60_000);

  it('has the outcome and the id of the deployment', () => {
    const outcomes = ['build deployment', 'release deployment'].flatMap(spansNamed).map(({ attributes }) => attributes);
    expect(outcomes).toEqual([
      {
        'postern.web_service.id': service.id,
        'postern.release.id': deploymentId,
        'postern.deployment.outcome': 'built',
      },
      {
        'postern.web_service.id': service.id,
        'postern.release.id': deploymentId,
        'postern.deployment.outcome': 'live',
      },
    ]);
  });

  it('contains no secret, no key and no repository URL', () => {
    const exported = JSON.stringify(collector.spans);
    for (const secret of [SECRET, service.repository.url, platform.writer.key]) expect(exported).not.toContain(secret);
  });
});

describe('the metrics of the platform', () => {
  it('count the deployment that went live, and show the instance that runs', async () => {
    expect(await shown(/^postern_deployments_outcomes_total\{.*outcome="live"/)).toBe(1);
    expect(await shown(/^postern_deployments_duration_count\{.*outcome="live"/)).toBe(1);
    expect(await shown(/^postern_deployments_build_duration_count\{.*result="built"/)).toBe(1);
    await eventually(
      async () => {
        expect(await shown(/^postern_web_services_instances\{.*state="answering"/)).toBe(1);
        expect(await shown(/^postern_web_services_count\{.*status="running"/)).toBe(1);
      },
      { timeoutMs: 20_000 },
    );
  }, 30_000);

  it('count the instances that crash and are restarted', async () => {
    await service.get('/crash').catch(() => {});
    await eventually(async () => expect(await shown(/^postern_web_services_instance_restarts_total/)).toBe(1), {
      timeoutMs: 20_000,
    });
  }, 30_000);
});
