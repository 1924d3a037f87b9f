/** Installs the NATS servers of the tests, before concurrent tests wait for them. */
import { findNatsServer } from './nats-install.js';

for (const version of ['2.9', '2.12'] as const)
  await findNatsServer({ version, onProgress: line => console.log(line) });
