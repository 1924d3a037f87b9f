import type { MailSimulatorOptions } from './simulator.js';

/** Reads the options of the simulator from the environment. @throws with the name of an invalid variable. */
export function configFromEnvironment(environment: NodeJS.ProcessEnv): MailSimulatorOptions {
  const number = (name: string, max: number): number | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    if (!/^\d+$/.test(text) || Number(text) > max) throw new Error(`${name} must be a number from 0 to ${max}`);
    return Number(text);
  };
  const bouncePort = number('POSTERN_SIMULATOR_BOUNCE_PORT', 65_535);
  return {
    smtpPort: number('POSTERN_SIMULATOR_SMTP_PORT', 65_535) ?? 0,
    httpPort: number('POSTERN_SIMULATOR_HTTP_PORT', 65_535) ?? 0,
    host: environment['POSTERN_SIMULATOR_HOST'] || '127.0.0.1',
    simulatorDomain: environment['POSTERN_SIMULATOR_DOMAIN'] || 'simulator.test',
    keepMessages: number('POSTERN_SIMULATOR_KEEP_MESSAGES', 1_000_000) ?? 1_000,
    slowMs: number('POSTERN_SIMULATOR_SLOW_MS', 3_600_000) ?? 5_000,
    ...(bouncePort
      ? { bounceRelay: { host: environment['POSTERN_SIMULATOR_BOUNCE_HOST'] || '127.0.0.1', port: bouncePort } }
      : {}),
  };
}
