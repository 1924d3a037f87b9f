import { controlSocket } from '@postern/load-balancer-client';
import { balancerLog, reasonOf } from './infrastructure/balancer-log.js';
import { crash, crashOnUnhandled, writeLine } from './infrastructure/process-output.js';
import { type BalancerSettings, settingsFrom } from './settings.js';
import type { Role } from './workers/worker-protocol.js';

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
  const { answersAt, ControlServer } = await import('./control/control-server.js');
  const { LoadBalancer } = await import('./control/load-balancer.js');
  const socket = controlSocket(settings.platformHome);
  if (await answersAt(socket)) throw new Error(`another load balancer serves ${settings.platformHome} already`);
  const workers = await workersOf(settings);
  const balancer = await LoadBalancer.start(settings, log, workers);
  const control = new ControlServer(balancer, log);
  await control.listen(socket);
  let stopping = false;
  const stop = async (reason: string) => {
    // A second signal stops the process without draining.
    if (stopping) {
      workers.kill();
      process.exit(1);
    }
    stopping = true;
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

/** Processes can share ports on Linux only (other systems' SO_REUSEPORT does not distribute connections). */
const workersOf = async (settings: BalancerSettings) => {
  const entryPoint = process.argv[1];
  if (process.platform !== 'linux' || !entryPoint) {
    const { ReverseProxy } = await import('./proxy/reverse-proxy.js');
    const { SingleProcessWorkers } = await import('./workers/single-process-workers.js');
    return new SingleProcessWorkers(new ReverseProxy(settings, false));
  }
  const { WorkerProcesses } = await import('./workers/worker-processes.js');
  return new WorkerProcesses(settings, log, entryPoint);
};

crashOnUnhandled(log);
const settings = settingsOrExit();
const [, , task, role, supervisorId] = process.argv;
if (task === 'worker') {
  const { ReverseProxy } = await import('./proxy/reverse-proxy.js');
  const { runWorker } = await import('./workers/worker-process.js');
  await runWorker(settings, role as Role, Number(supervisorId), adjusted => new ReverseProxy(adjusted, true)).catch(
    crash(log, 'The worker could not start'),
  );
} else await start(settings).catch(crash(log, 'The load balancer could not start'));
