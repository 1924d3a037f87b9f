import { MIB } from '@postern/contracts';
import type { Cleanup } from '@postern/testing';
import { postern, profilerOf, WARM_UP_S } from './email.js';
import { roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import type { Flood, FloodResult, LoadResult, OpenLoop } from './load/requests.js';
import { cpuOf } from './measure/process-usage.js';
import { figure, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import { startWhole } from './postern.js';
import type { PartReport } from './report.js';

const CONNECTIONS = 64;
const FLOODING_CONNECTIONS = 200;
const TARGET_P99_MS = 100;
const TARGET_SHARE = 0.25;

type Attack = Pick<Flood, 'head' | 'body' | 'waits'>;

const members = `{${Array.from({ length: 850_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
const credentials = JSON.stringify({ email: 'victim@example.com', password: 'x' });

const post = (path: string, body: string, headers = '') => ({
  head:
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}` +
    `Content-Length: ${body.length}\r\n\r\n`,
  body,
});

const get = (path: string, headers = '') => ({ head: `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, body: '' });

/** The most expensive requests of a client without a credential. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  'sign-in, 9 MB of JSON': post('/dashboard/api/session', members),
  'sign-in, wrong password': post('/dashboard/api/session', credentials),
  'email, invented key, 9 MB': post('/emails', members, `Api-Key: em_live_${'A'.repeat(43)}\r\n`),
  'platform API, invented key': get('/api/v1/projects', `Authorization: Bearer ak_live_${'A'.repeat(43)}\r\n`),
  'sessions that do not exist': get('/dashboard/api/me', `Authorization: Bearer st_live_${'A'.repeat(43)}\r\n`),
  'deploy hook, unknown token, 1 MiB': post(`/hooks/deploy/dh_live_${'A'.repeat(43)}`, 'x'.repeat(MIB)),
  'question of a TLS front': get('/tls/ask?domain=unknown.example.com'),
  'OpenAPI document, pipelined': { head: get('/openapi.json').head.repeat(100), body: '' },
  'OpenAPI document, 1,700 pipelined': { head: get('/openapi.json').head.repeat(1_700), body: '' },
  'sessions, not waiting for answers': {
    ...get('/dashboard/api/me', `Authorization: Bearer st_live_${'A'.repeat(43)}\r\n`),
    waits: false,
  },
};

/** `npm run bench -- attack`: latency of sending at a fixed rate while another address floods the gateway. */
export const measureAttack = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const sink = await BenchProcess.start('load/smtp-sink.js');
  cleanup.push(() => sink.stop());
  const running = await startWhole(cleanup, {
    'email-send': { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=20` },
    'api-gateway': profilerOf(options),
  });
  const generator = await BenchProcess.start('load/load-generator.js');
  cleanup.push(() => generator.stop());
  // A real attacker has its own CPUs; here it only gets the CPU time that the others leave.
  const attacker = await BenchProcess.start('load/attacker.js', {}, { hasLowPriority: true });
  cleanup.push(() => attacker.stop());
  const refusing = await BenchProcess.start('load/refusing-server.js');
  cleanup.push(() => refusing.stop());
  const candidate = await postern(running);
  await roundOf({ generator, sink, candidates: [candidate] }, candidate, {
    seconds: WARM_UP_S,
    connections: CONNECTIONS,
  });

  const port = Number(new URL(running.baseUrl).port);
  const gateway = { gateway: running.processes()['api-gateway'] as number };
  const { seconds, perSecond } = options;
  const legitimate: OpenLoop = { ...candidate.load, connections: CONNECTIONS, seconds, perSecond };
  let kinds = 0;
  const measure = async (name: string, attack?: Attack, attackedPort = port) => {
    console.error(`▸ ${name}`);
    const before = cpuOf(gateway)['gateway'] ?? 0;
    const flood: Flood | undefined = attack && {
      ...attack,
      port: attackedPort,
      address: `127.0.1.${++kinds}`,
      connections: FLOODING_CONNECTIONS,
      seconds,
    };
    const [result, flooded] = await Promise.all([
      generator.call<LoadResult>('open', legitimate),
      flood ? attacker.call<FloodResult>('flood', flood) : undefined,
    ]);
    const share = ((cpuOf(gateway)['gateway'] ?? 0) - before) / (seconds * 1_000);
    return { name, result, share, answers: flooded?.answers ?? {} };
  };

  const quiet = await measure('no attack');
  const attacked = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const elsewhere = await measure(`${name}, another server`, attack, refusing.port);
    attacked.push({ ...(await measure(name, attack)), elsewhere: elsewhere.result.p99 });
  }
  return {
    text: [
      table(
        ['', 'p50 ms', 'p99 ms', 'p99 ms (other)', 'ratio', 'failed', 'CPU % more', 'answers to the attacker'],
        [{ ...quiet, elsewhere: quiet.result.p99 }, ...attacked].map(({ name, result, elsewhere, share, answers }) => [
          name,
          figure(result.p50, 1),
          figure(result.p99, 1),
          figure(elsewhere, 1),
          figure(result.p99 / elsewhere, 2),
          figure(result.failed),
          figure((share - quiet.share) * 100),
          Object.entries(answers)
            .map(([status, count]) => `${status === '0' ? 'closed' : status}: ${figure(count)}`)
            .join(', '),
        ]),
      ),
      `${perSecond} emails/s from 127.0.0.1 while another address floods over ${FLOODING_CONNECTIONS} connections; other: it ` +
        'floods a server on the same machine that only refuses; targets: ' +
        `p99 below ${TARGET_P99_MS} ms, no failure, at most ${TARGET_SHARE * 100} % more of a processor in the gateway`,
    ].join('\n\n'),
    figures: { seconds, per_second: perSecond, rounds: [quiet, ...attacked] },
  };
};
