import { ConfigError, type Environment } from './config/define-config.js';
import { leave } from './leave.js';
import { createLog, type LogOutput } from './log/service-log.js';
import { watchEventLoop } from './loop-watchdog.js';
import { type HostedConfig, type RunningService, type ServiceOptions, startService } from './start-service.js';

/**
 * A service as a process: starts it, says so with one line `{"ready":true,"name":…,"port":…}` on standard output,
 * and ends it in an orderly way on SIGTERM, SIGINT, or (where `POSTERN_EXIT_WITH_PARENT` is set) when standard input
 * closes. Exit codes: 0 stopped, 1 crashed, cut off from NATS for good or out of time, 2 unusable configuration.
 */
export const runService = async <D extends HostedConfig>(options: ServiceOptions<D>): Promise<void> => {
  const environment = process.env;
  // Nobody may read it; a warning of Node.js must not end the process then.
  process.stderr.on('error', () => undefined);
  const config = readOrExit(options.config, environment);
  const output = createLog(options.name, config.logLevel);
  crashOn(output);
  if (config.stalledLoopLimitS > 0) watchEventLoop(options.name, config.stalledLoopLimitS, output.log);
  const starting = startService(options, environment, output, () => leave(output, 1));
  stopOnSignals(starting, output, config.exitWithParent);
  try {
    const { port } = await starting;
    output.writeLine(JSON.stringify({ ready: true, name: options.name, port }));
  } catch (error) {
    exit(output, 1, error, 'The service could not start');
  }
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

/** After an error that nobody caught the state of the process is unknown; the next one recovers from the event log. */
const crashOn = (output: LogOutput): void => {
  process.on('uncaughtException', error => exit(output, 1, error, 'Nobody caught this error'));
  process.on('unhandledRejection', error => exit(output, 1, error, 'Nobody awaited this rejection'));
};

const stopOnSignals = (starting: Promise<RunningService>, output: LogOutput, withParent: boolean): void => {
  let service: RunningService | undefined;
  let asked = false;
  starting.then(
    started => {
      service = started;
    },
    () => {},
  );
  const stop = async (reason: string) => {
    // A second signal means that somebody is tired of waiting.
    if (asked) return leave(output, 1);
    asked = true;
    output.log.info({ reason }, 'Shutting down');
    const finished = service ? await service.stop() : true;
    if (!finished) output.log.error({}, 'Stopped with work still under way');
    leave(output, finished ? 0 : 1);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (!withParent) return;
  process.stdin.once('close', () => void stop('parent gone'));
  process.stdin.resume();
};

const exit = (output: LogOutput, code: number, error: unknown, message: string): void => {
  output.log.error({ err: error }, message);
  leave(output, code);
};
