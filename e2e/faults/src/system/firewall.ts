import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Flow } from './flows.js';

/** Set by bin/faults.mjs when this process has a network and mounts of its own. */
export const IN_NAMESPACES = process.env['POSTERN_FAULTS_NAMESPACES'] === 'true';

const NFT = ['/usr/sbin/nft', '/sbin/nft', '/usr/bin/nft'].find(existsSync);

/** The reason why packets cannot be dropped; undefined if they can. */
export const whyNoFirewall = (): string | undefined => {
  if (!IN_NAMESPACES) return 'a network of its own is for root only';
  return NFT ? undefined : 'nftables is not installed';
};

/** Drops every packet of these connections, in both directions, and forgets earlier ones, which are closed by now. */
export const dropFlows = (flows: readonly Flow[]): void => {
  const pairs = flows.flatMap(({ local, remote }) => [`${local} . ${remote}`, `${remote} . ${local}`]);
  const rule = `add rule inet faults out tcp sport . tcp dport { ${pairs.join(', ')} } drop`;
  const script = [
    'add table inet faults',
    'delete table inet faults',
    'add table inet faults',
    'add chain inet faults out { type filter hook output priority 0; }',
    ...(pairs.length > 0 ? [rule] : []),
  ];
  execFileSync(NFT ?? 'nft', ['-f', '-'], { input: script.join('\n'), stdio: ['pipe', 'pipe', 'pipe'] });
};
