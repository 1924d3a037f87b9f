/**
 * `node tools/checks/nats-users.mjs`: writes the users of NATS and their permissions, as the built contracts have them,
 * for Compose and for the chart. NATS takes the passwords from its environment.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsUsersFile } from '@postern/contracts/nats-permissions';

const ROOT = join(import.meta.dirname, '../..');

for (const file of ['docker/nats-users.conf', 'k8s/charts/postern/files/nats-users.conf'])
  writeFileSync(join(ROOT, file), natsUsersFile());
