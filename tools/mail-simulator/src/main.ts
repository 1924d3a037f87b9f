import { configFromEnvironment } from './config.js';
import { startMailSimulator } from './simulator.js';

const simulator = await startMailSimulator(configFromEnvironment(process.env));
const { smtpPort, httpPort, mailboxUrl } = simulator;
process.stdout.write(
  `${JSON.stringify({ ready: true, smtp_port: smtpPort, http_port: httpPort, mailbox_url: mailboxUrl })}\n`,
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void simulator.stop().then(() => process.exit(0));
  });
}
