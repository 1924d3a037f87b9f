import { ConfigError, type Environment } from './config/define-config.js';
import { exitProcess } from './exit-process.js';
import { createLog, type LogOutput } from './log/service-log.js';
import { watchEventLoop } from './loop-watchdog.js';
import { releaseOf } from './release.js';
import { type HostedConfig, type RunningService, type ServiceOptions, startService } from './start-service.js';

/**
 * Runs a service as a process: starts it, prints the line `{"ready":true,"name":…,"port":…}` on standard output, and
 * stops it on SIGTERM, SIGINT or, with `POSTERN_EXIT_WITH_PARENT`, when standard input closes. Exit codes: 0
 * stopped, 1 crashed, lost NATS or exceeded the time limit, 2 invalid configuration.
 */
export const runService = async <D extends HostedConfig>(options: ServiceOptions<D>): Promise<void> => {
  demandNode(process.versions.node);
  const environment = process.env;
  // A warning of Node.js must not end the process if standard error is closed.
  process.stderr.on('error', () => undefined);
  const config = readOrExit(options.config, environment);
  const output = createLog(options.name, config.logLevel);
  crashOn(output);
  if (config.stalledLoopLimitS > 0) watchEventLoop(options.name, config.stalledLoopLimitS, output.log);
  const release = options.release ?? releaseOf(options.name, process.argv[1]);
  const starting = startService({ ...options, release }, environment, output, () => exitProcess(output, 1));
  stopOnSignals(starting, output, config.exitWithParent);
  try {
    const { port } = await starting;
    output.writeLine(JSON.stringify({ ready: true, name: options.name, port }));
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      exitProcess(output, 2);
    } else exit(output, 1, error, 'The service could not start');
  }
};

/** Older lines get no security fixes any more (nodejs.org/en/about/previous-releases). */
const OLDEST_NODE = 22;

const demandNode = (version: string): void => {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return;
  process.stderr.write(
    `Node.js ${version} gets no security fixes: run Postern with Node.js ${OLDEST_NODE} or newer.\n`,
  );
  process.exit(2);
};

const readOrExit = <Config>(
  definition: { read(environment: Environment): Config },
  environment: Environment,
): Config => {
  try {
    return definition.read(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
};

/** After an uncaught error the state of the process is unknown; the next process recovers from the event log. */
const crashOn = (output: LogOutput): void => {
  process.on('uncaughtException', error => exit(output, 1, error, 'Uncaught error'));
  process.on('unhandledRejection', error => exit(output, 1, error, 'Unhandled rejection'));
};

const stopOnSignals = (starting: Promise<RunningService>, output: LogOutput, withParent: boolean): void => {
  let service: RunningService | undefined;
  let isStopping = false;
  starting.then(
    started => {
      service = started;
    },
    () => {},
  );
  const stop = async (reason: string) => {
    // A second signal exits immediately.
    if (isStopping) return exitProcess(output, 1);
    isStopping = true;
    output.log.info({ reason }, 'Shutting down');
    const finished = service ? await service.stop() : true;
    if (!finished) output.log.error({}, 'Stopped before all work finished');
    exitProcess(output, finished ? 0 : 1);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (!withParent) return;
  process.stdin.once('close', () => void stop('parent gone'));
  process.stdin.resume();
};

const exit = (output: LogOutput, code: number, error: unknown, message: string): void => {
  output.log.error({ err: error }, message);
  exitProcess(output, code);
};
