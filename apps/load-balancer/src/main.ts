import { writeSync } from 'node:fs';
import { controlSocket } from '@postern/load-balancer-client';
import { balancerLog, reasonOf } from './balancer-log.js';
import { answersAt, ControlServer } from './control-server.js';
import { LoadBalancer } from './load-balancer.js';
import { type BalancerSettings, settingsFrom } from './settings.js';

/** Straight to the descriptor: nothing of it is lost when the process ends, and a broken pipe ends nobody's traffic. */
const writeLine = (line: string): void => {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // The reader of the output is gone; traffic continues.
  }
};
const log = balancerLog(writeLine);

const settingsOrExit = (): BalancerSettings => {
  try {
    return settingsFrom(process.env);
  } catch (error) {
    process.stderr.write(`${reasonOf(error).reason}\n`);
    process.exit(2);
  }
};

const start = async (settings: BalancerSettings): Promise<void> => {
  const socket = controlSocket(settings.platformHome);
  if (await answersAt(socket)) throw new Error(`another load balancer serves ${settings.platformHome} already`);
  const balancer = await LoadBalancer.start(settings, log);
  const control = new ControlServer(balancer, log);
  await control.listen(socket);
  let asked = false;
  const stop = async (reason: string) => {
    // A second signal means that somebody is tired of waiting.
    if (asked) process.exit(1);
    asked = true;
    log.info({ reason }, 'Shutting down');
    await control.stop();
    await balancer.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (settings.exitWithParent) {
    process.stdin.once('close', () => void stop('parent gone'));
    process.stdin.resume();
  }
  writeLine(JSON.stringify({ ready: true, name: 'load-balancer', port: balancer.sharedPort ?? 0 }));
};

const crash = (message: string) => (error: unknown) => {
  log.error({ ...reasonOf(error), stack: error instanceof Error ? error.stack : undefined }, message);
  process.exit(1);
};
process.on('uncaughtException', crash('Nobody caught this error'));
process.on('unhandledRejection', crash('Nobody awaited this rejection'));
await start(settingsOrExit()).catch(crash('The load balancer could not start'));
