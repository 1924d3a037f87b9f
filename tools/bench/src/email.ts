import { generateKeyPairSync } from 'node:crypto';
import type { RunningPostern } from '@postern/local-start';
import pg from 'pg';
import { emailReport } from './email-report.js';
import { type Contestant, type Round, roundOf } from './email-rounds.js';
import { BenchProcess } from './load/bench-process.js';
import type { LoadResult, OpenLoop, RequestTemplate } from './load/requests.js';
import { untilQuiet } from './measure/quiet.js';
import { emailBody } from './message.js';
import type { BenchOptions } from './options.js';
import { productionService, SENDING_DOMAIN, startWhole } from './postern.js';
import { BenchPostfix, whyNoBenchPostfix } from './postfix.js';
import type { PartReport } from './report.js';
import type { Undo } from './undo.js';

export const CONNECTIONS = 64;
export const OPEN_PER_SECOND = 300;
/** To the sink, for Postern and for the reference. */
const RELAY_CONNECTIONS = 20;
export const WARM_UP_S = 8;

const template = (url: string, apiKey: string): RequestTemplate => ({
  url: `${url}/emails`,
  headers: { 'api-key': apiKey, 'content-type': 'application/json' },
  body: emailBody,
});

/** All processes of Postern except the simulator, and a sender. */
export const postern = async (running: RunningPostern): Promise<Contestant> => {
  const { 'mail-simulator': _, ...pids } = running.processes();
  return { name: 'Postern', load: template(running.baseUrl, await productionService(running)), pids };
};

/** In the same PostgreSQL server, in a database of its own. */
const reference = async (running: RunningPostern, sink: BenchProcess, undo: Undo): Promise<Contestant> => {
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
  undo.push(() => service.stop());
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

const openLoop = async (generator: BenchProcess, { name, load }: Contestant, seconds: number): Promise<LoadResult> => {
  const asked: OpenLoop = { ...load, connections: CONNECTIONS, seconds, perSecond: OPEN_PER_SECOND };
  const result = await generator.ask<LoadResult>('open', asked);
  if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed: ${result.firstFailure}`);
  return result;
};

/** `npm run bench -- email`: the three contestants in one run, their rounds interleaved. */
export const measureEmail = async (options: BenchOptions, undo: Undo): Promise<PartReport> => {
  const sink = await BenchProcess.start('load/smtp-sink.js');
  undo.push(() => sink.stop());
  const relays = { POSTERN_RELAYS: `smtp://127.0.0.1:${sink.port}?tls=none&connections=${RELAY_CONNECTIONS}` };
  const profiled = options.profile
    ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=500 --cpu-prof-dir=${options.profile}` }
    : {};
  const running = await startWhole(undo, { 'email-send': { ...relays, ...profiled }, 'api-gateway': { ...profiled } });
  const generator = await BenchProcess.start('load/load-generator.js');
  undo.push(() => generator.stop());
  const contestants = [await postern(running), await reference(running, sink, undo)];
  const parties = { generator, sink, contestants };

  const warmUps: Round[] = [];
  for (const contestant of contestants)
    warmUps.push(await roundOf(parties, contestant, { seconds: WARM_UP_S, connections: CONNECTIONS }));
  const bytes = Math.max(...warmUps.map(({ bytesPerMessage }) => bytesPerMessage));

  const noPostfix = whyNoBenchPostfix();
  const postfix = noPostfix ? undefined : await BenchPostfix.start();
  if (postfix) undo.push(() => postfix.stop());
  const drain = postfix && (await postfixRounds(postfix, options.seconds, Math.round(bytes)));

  const rounds: Round[][] = contestants.map(() => []);
  const open: LoadResult[][] = contestants.map(() => []);
  const drained: number[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    for (const [place, contestant] of contestants.entries()) {
      console.error(`▸ round ${number} of ${options.rounds}: ${contestant.name}`);
      rounds[place]?.push(await roundOf(parties, contestant, { seconds: options.seconds, connections: CONNECTIONS }));
      await untilQuiet(contestants.flatMap(({ pids }) => Object.values(pids)));
      open[place]?.push(await openLoop(generator, contestant, options.seconds));
    }
    if (!drain) continue;
    console.error(`▸ round ${number} of ${options.rounds}: Postfix`);
    drained.push(await drain());
  }

  return emailReport({
    contestants,
    rounds,
    open,
    bytesPerMessage: bytes,
    postfix: postfix ? { version: postfix.version, perSecond: drained, pids: postfix.processes } : (noPostfix ?? ''),
  });
};
