import { ANY_PREFIX } from './address-block.js';

interface Chain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/** How nftables shows a rule for the links of sandboxes. */
const ALL_LINKS = `"${ANY_PREFIX}*"`;

/**
 * Other firewalls of this machine that drop packets of sandboxes, although the rules of Postern accept them: in nftables, one table
 * that drops a packet is enough. Sees rules of iptables unless they are of its legacy version.
 * @param list the arguments of nft to its output.
 */
export const closedChains = async (list: (args: readonly string[]) => Promise<string>): Promise<readonly string[]> => {
  const { nftables } = JSON.parse(await list(['-j', 'list', 'chains'])) as { nftables: { chain?: Chain }[] };
  const chains = nftables.flatMap(({ chain }) => chain ?? []).filter(({ table }) => !table.startsWith(ANY_PREFIX));
  const closed = new Set<string>();
  for (const { family, table, name, hook, policy } of chains) {
    if (!['ip', 'inet'].includes(family) || (hook !== 'forward' && hook !== 'input')) continue;
    // The chains of firewalld accept by policy and end with a rule that refuses.
    if (policy !== 'drop' && table !== 'firewalld') continue;
    if (!(await list(['list', 'table', family, table])).includes(ALL_LINKS))
      closed.add(`${name} of ${family} ${table}`);
  }
  return [...closed].sort();
};
