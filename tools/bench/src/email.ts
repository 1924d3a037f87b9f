import { generateKeyPairSync } from 'node:crypto';
import type { RunningPostern } from '@postern/local-start';
import type { Cleanup } from '@postern/testing';
import pg from 'pg';
import { emailReport } from './email-report.js';
import { type Candidate, type Round, roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import type { LoadResult, OpenLoop, RequestTemplate } from './load/requests.js';
import { untilIdle } from './measure/quiet.js';
import { emailBody } from './message.js';
import type { BenchOptions } from './options.js';
import { productionService, SENDING_DOMAIN, startWhole } from './postern.js';
import { BenchPostfix, whyNoBenchPostfix } from './postfix.js';
import type { PartReport } from './report.js';

export const CONNECTIONS = 64;
export const OPEN_PER_SECOND = 300;
/** Connections to the sink, for Postern and for the reference. */
const RELAY_CONNECTIONS = 20;
export const WARM_UP_S = 8;

const template = (url: string, apiKey: string): RequestTemplate => ({
  url: `${url}/emails`,
  headers: { 'api-key': apiKey, 'content-type': 'application/json' },
  body: emailBody,
});

/** All processes of Postern except the simulator, and its load. */
export const postern = async (running: RunningPostern): Promise<Candidate> => {
  const { 'mail-simulator': _, ...pids } = running.processes();
  return { name: 'Postern', load: template(running.baseUrl, await productionService(running)), pids };
};

/** The reference uses a separate database in the same PostgreSQL server. */
const reference = async (running: RunningPostern, sink: BenchProcess, cleanup: Cleanup): Promise<Candidate> => {
  const admin = new pg.Client({ connectionString: running.postgres.url() });
  await admin.connect();
  await admin.query('CREATE DATABASE reference').finally(() => admin.end());
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const service = await BenchProcess.start('reference/email-cluster.js', {
    REFERENCE_API_KEY: 'reference',
    REFERENCE_PUBLIC_URL: running.baseUrl,
    REFERENCE_DOMAIN: SENDING_DOMAIN,
    REFERENCE_DATABASE_URL: running.postgres.url('reference'),
    REFERENCE_RELAY_PORT: String(sink.port),
    REFERENCE_RELAY_CONNECTIONS: String(RELAY_CONNECTIONS),
    REFERENCE_DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  cleanup.push(() => service.stop());
  return {
    name: 'reference',
    load: template(`http://127.0.0.1:${service.port}`, 'reference'),
    pids: { reference: service.pid, postgres: running.postgres.pid },
  };
};

const postfixRounds = async (postfix: BenchPostfix, seconds: number, bytes: number) => {
  const probe = 400;
  const rate = probe / (await postfix.drain(probe, bytes, CONNECTIONS));
  const messages = Math.max(probe, Math.round(rate * seconds));
  return () => postfix.drain(messages, bytes, CONNECTIONS).then(took => messages / took);
};

const openLoop = async (generator: BenchProcess, { name, load }: Candidate, seconds: number): Promise<LoadResult> => {
  const traffic: OpenLoop = { ...load, connections: CONNECTIONS, seconds, perSecond: OPEN_PER_SECOND };
  const result = await generator.call<LoadResult>('open', traffic);
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed: ${result.firstFailure}`);
  return result;
};

/** The environment of a service that writes a CPU profile when it stops, if the options require it. */
export const profilerOf = ({ profile }: BenchOptions): Readonly<Record<string, string>> =>
  profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${profile}` } : {};

/** `npm run bench -- email`: measures three candidates in interleaved rounds. */
export const measureEmail = async (options: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const sink = await BenchProcess.start('load/smtp-sink.js');
  cleanup.push(() => sink.stop());
  const relays = { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=${RELAY_CONNECTIONS}` };
  const profiled = profilerOf(options);
  const running = await startWhole(cleanup, {
    'email-send': { ...relays, ...profiled },
    'api-gateway': { ...profiled },
  });
  const generator = await BenchProcess.start('load/load-generator.js');
  cleanup.push(() => generator.stop());
  const candidates = [await postern(running), await reference(running, sink, cleanup)];
  const parties = { generator, sink, candidates };

  const warmUps: Round[] = [];
  for (const candidate of candidates)
    warmUps.push(await roundOf(parties, candidate, { seconds: WARM_UP_S, connections: CONNECTIONS }));
  const bytes = Math.max(...warmUps.map(({ bytesPerMessage }) => bytesPerMessage));

  const noPostfix = whyNoBenchPostfix();
  const postfix = noPostfix ? undefined : await BenchPostfix.start();
  if (postfix) cleanup.push(() => postfix.stop());
  const drain = postfix && (await postfixRounds(postfix, options.seconds, Math.round(bytes)));

  const rounds: Round[][] = candidates.map(() => []);
  const open: LoadResult[][] = candidates.map(() => []);
  const drained: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    for (const [place, candidate] of candidates.entries()) {
      console.error(`▸ round ${number} of ${options.rounds}: ${candidate.name}`);
      rounds[place]?.push(await roundOf(parties, candidate, { seconds: options.seconds, connections: CONNECTIONS }));
      await untilIdle(candidates.flatMap(({ pids }) => Object.values(pids)));
      open[place]?.push(await openLoop(generator, candidate, options.seconds));
    }
    if (!drain) continue;
    console.error(`▸ round ${number} of ${options.rounds}: Postfix`);
    drained.push(await drain());
  }

  return emailReport({
    candidates,
    rounds,
    open,
    bytesPerMessage: bytes,
    postfix: postfix ? { version: postfix.version, perSecond: drained, pids: postfix.processes } : (noPostfix ?? ''),
  });
};
