/** The checks of `npm run production`, which run in the network of the internet, in this order, on one server. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CHECKS } from './checks.mjs';
import { CertificateAuthority, MailServers, NameServers, publishWorld, trustRoot } from './internet.mjs';
import { INTERNET, ServerMachine } from './machine.mjs';

const { tree, storageServer, folder, archives, wanted, keep } = JSON.parse(process.argv[2] ?? '{}');
const unknown = wanted.filter(name => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`unknown check: ${unknown.join(', ')}. The checks are ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}

const whySkipped = name => {
  if (name === 'fourteen-months' && !wanted.includes(name)) return 'it runs only if it is named';
  if (name === 'released-sets' && archives.length === 1) return 'there is no archive of a next set (--next)';
  return undefined;
};

const names = new NameServers();
await names.listen(INTERNET.address);
publishWorld(names);
const mail = new MailServers();
await mail.listen(INTERNET.address);
const authority = new CertificateAuthority(join(folder, 'authority'));
await authority.start();
const server = new ServerMachine(tree, join(folder, 'server'));
const [first, ...more] = archives;
const world = { names, mail, authority, server, storageServer, archives: more, state: {}, pause };
let failures = 0;
try {
  trustRoot(server.root, authority.root);
  mkdirSync(join(server.root, 'root'), { recursive: true });
  for (const file of [first, `${first}.sha256`, join(dirname(first), 'install.sh')])
    copyFileSync(file, join(server.root, 'root', basename(file)));
  await server.boot();
  for (const [name, check] of Object.entries(CHECKS)) {
    // The first check installs what all others need.
    if (wanted.length > 0 && !wanted.includes(name) && name !== 'fifteen-minutes') continue;
    const reason = whySkipped(name);
    if (reason) {
      console.log(`skipped ${name}: ${reason}`);
      continue;
    }
    const began = Date.now();
    try {
      const result = await check(world);
      console.log(`ok ${name} (${((Date.now() - began) / 1_000).toFixed(0)} s)${result ? `: ${result}` : ''}`);
    } catch (error) {
      failures += 1;
      console.log(`not ok ${name} (${((Date.now() - began) / 1_000).toFixed(0)} s)\n${error.message}`);
      const log = await server
        .exec('journalctl --namespace=postern --no-pager --lines=40 | cut -c1-400')
        .catch(() => '');
      console.log(log);
      if (name === 'fifteen-minutes') break;
    }
  }
} catch (error) {
  failures += 1;
  console.log(error.message);
} finally {
  if (!keep) {
    await server.destroy();
    authority.stop();
  }
}
if (keep) console.log(`The machine runs; its files are in ${server.root}. End it with Ctrl-C.`);
else process.exit(failures > 0 ? 1 : 0);
