/** Changes settings only inside the mount and network namespaces of a run, so that the machine is unaffected. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_ADDRESS, HOSTS, HUB_ADDRESS, METADATA_ADDRESS, NODE_ADDRESS, PUBLIC_ADDRESS } from './settings.mjs';

const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Machine-wide kernel settings that the kubelet changes unless they already have its value. */
const KUBELET_SETTINGS = {
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxbytes': '25000000',
  'kernel/keys/root_maxkeys': '1000000',
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
};

/** Bind-mounts files over the settings that the kubelet would change, and folders over those that it writes to. */
export const hideMachine = folder => {
  const file = name => join(folder, name);
  mkdirSync(file('settings'));
  for (const [name, value] of Object.entries(KUBELET_SETTINGS)) {
    const stand = file(`settings/${name.replaceAll('/', '.')}`);
    writeFileSync(stand, `${value}\n`);
    run('mount', '--bind', stand, `/proc/sys/${name}`);
  }
  const hosts = Object.entries(HOSTS).map(([name, address]) => `${address} ${name}\n`);
  writeFileSync(file('hosts'), `127.0.0.1 localhost\n${hosts.join('')}`);
  run('mount', '--bind', file('hosts'), '/etc/hosts');
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run');
  for (const name of ['lib', 'log']) {
    for (const part of ['upper', 'work']) mkdirSync(file(`var-${name}/${part}`), { recursive: true });
    const options = `lowerdir=/var/${name},upperdir=${file(`var-${name}/upper`)},workdir=${file(`var-${name}/work`)}`;
    run('mount', '-t', 'overlay', '-o', options, 'overlay', `/var/${name}`);
  }
};

/** A network without an uplink: the default route leads to the other end of a veth pair. */
export const makeNetwork = () => {
  const ip = (...args) => run('ip', ...args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'uplink0');
  ip('address', 'add', `${NODE_ADDRESS}/24`, 'dev', 'node0');
  for (const address of [PUBLIC_ADDRESS, METADATA_ADDRESS, GIT_ADDRESS, HUB_ADDRESS])
    ip('address', 'add', `${address}/32`, 'dev', 'node0');
  for (const name of ['node0', 'uplink0']) ip('link', 'set', name, 'up');
  ip('route', 'add', 'default', 'dev', 'node0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
};
