/**
 * `node tools/checks/nats-users.mjs`: generates the NATS users and their permissions from the built contracts, for Compose
 * and for the chart. NATS reads the passwords from its environment.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsUsersFile } from '@postern/contracts/nats-permissions';

const ROOT = join(import.meta.dirname, '../..');

for (const file of ['docker/nats-users.conf', 'k8s/charts/postern/files/nats-users.conf'])
  writeFileSync(join(ROOT, file), natsUsersFile());
