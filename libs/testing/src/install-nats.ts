/** Installs the NATS servers of the tests, before tests wait for them side by side. */
import { findNatsServer } from './nats-install.js';

for (const version of ['2.9', '2.12'] as const)
  await findNatsServer({ version, onProgress: line => console.log(line) });
