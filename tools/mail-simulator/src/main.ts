import { configFromEnvironment } from './config.js';
import { startMailSimulator } from './simulator.js';

const simulator = await startMailSimulator(configFromEnvironment(process.env));
const { smtpPort, httpPort, mailboxUrl } = simulator;
process.stdout.write(
  `${JSON.stringify({ ready: true, smtp_port: smtpPort, http_port: httpPort, mailbox_url: mailboxUrl })}\n`,
);

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  void simulator.stop().then(() => process.exit(0));
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
if (process.env['POSTERN_EXIT_WITH_PARENT'] === 'true') {
  // The parent process holds the other end of stdin, which closes when the parent ends.
  process.stdin.once('close', stop);
  process.stdin.resume();
}
