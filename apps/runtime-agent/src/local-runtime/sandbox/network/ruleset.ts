import { type AddressBlock, ANY_PREFIX, blockText, namePrefix, platformAddress } from './address-block.js';

/** A port of this machine, and the address at which a server listens on it. */
export interface ServedPort {
  readonly host: string;
  readonly port: number;
}

/** What the rules of an installation depend on, besides its block. */
export interface NetworkPolicy {
  /** Name servers that sandboxes may ask. */
  readonly resolvers: readonly string[];
  /** Networks that sandboxes may not reach, in CIDR notation. */
  readonly refusedNetworks: readonly string[];
  /** Exceptions from `refusedNetworks` that the operator has made. */
  readonly reachableNetworks: readonly string[];
  /** All addresses of this machine. */
  readonly ownAddresses: readonly string[];
  /** Public addresses of this machine, of which only the web ports are as public as any other. */
  readonly ownPublicAddresses: readonly string[];
  /** Servers of this machine that are reached at the platform's address, at the same ports. */
  readonly entryPoints: readonly ServedPort[];
  /** Whether networks outside of the machine may connect to the sandboxes that are open to them. */
  readonly opensSandboxes: boolean;
  /** Interfaces to other networks, from which nothing is forwarded; empty if the machine forwarded packets before. */
  readonly closedUplinks: readonly string[];
}

/** The policy, with the addresses to which connections to the entry points have to be directed. */
export interface DirectedPolicy extends NetworkPolicy {
  readonly entryPoints: readonly (ServedPort & { readonly reached: ServedPort })[];
}

/** A permission for a sandbox to connect to another one. */
export interface AllowedConnection {
  /** IPv4 addresses of the sandboxes. */
  readonly source: string;
  readonly destination: string;
  readonly port: number;
}

/** A permission for a sandbox to reach a web service at its address within the project. */
export interface Acquaintance {
  /** The IPv4 address of the sandbox. */
  readonly source: string;
  readonly destination: string;
}

/** A port of a sandbox, which has the same number on the machine for networks outside of it. */
export interface OpenPort {
  /** The IPv4 address of the sandbox. */
  readonly destination: string;
  readonly port: number;
}

/** Connections and requests in progress of one sandbox, so that it cannot fill the kernel's table of connections. */
export const MOST_FLOWS = 1_000;

export const SETS = {
  attached: 'attached',
  enclosed: 'enclosed',
  services: 'services',
  neighbours: 'neighbours',
  names: 'names',
  outside: 'outside',
  opened: 'opened',
} as const;

const CHAINS = [
  'anti_spoofing',
  'entry_points',
  'incoming',
  'forwarded',
  'between',
  'from_outside',
  'limited',
  'refuse',
  'outgoing',
] as const;

type Chain = (typeof CHAINS)[number];

const listOf = (values: readonly (string | number)[]): string => `{ ${values.join(', ')} }`;

/** A rule with a list, which nft does not accept empty. */
const ruleFor = (values: readonly (string | number)[], rule: (list: string) => string): readonly string[] =>
  values.length === 0 ? [] : [rule(listOf(values))];

/**
 * The rules of an installation as one transaction of nft. The elements of the sets stay when the rules are replaced. Rules match the
 * interfaces of this installation only; `accept` ends one chain and overrides no other table of the machine.
 */
export const rulesetOf = (block: AddressBlock, policy: DirectedPolicy): string => {
  const table = namePrefix(block);
  const own = `"${table}*"`;
  const platform = platformAddress(block);
  const dns = (list: string) => `ip daddr ${list} meta l4proto { tcp, udp } th dport 53`;
  const ifOpen = (...rules: readonly string[]) => (policy.opensSandboxes ? rules : []);
  const rules: Record<Chain, readonly string[]> = {
    anti_spoofing: [`iifname ${own} meta nfproto ipv6 drop`, `iifname ${own} fib saddr . iif oif missing drop`],
    entry_points: [
      ...policy.entryPoints.map(
        ({ port, reached }) =>
          `iifname ${own} ip daddr ${platform} tcp dport ${port} dnat ip to ${reached.host}:${reached.port}`,
      ),
      `iifname ${own} ip daddr ${platform} dnat ip to tcp dport map @${SETS.services}`,
      `iifname ${own} ip saddr . ip daddr @${SETS.neighbours} dnat ip to ip daddr . tcp dport map @${SETS.names}`,
      // Never a sandbox, whose permissions to connect to another one are those in `between`.
      ...ifOpen(
        `iifname != "${ANY_PREFIX}*" ip saddr != ${blockText(block)} fib daddr type local ip saddr . tcp dport @${SETS.outside} dnat ip to tcp dport map @${SETS.opened}`,
      ),
    ],
    incoming: [
      `iifname != ${own} accept`,
      'ct state established,related accept',
      `ip saddr @${SETS.enclosed} goto refuse`,
      'ct status dnat jump limited',
      'ct status dnat accept',
      ...ruleFor(policy.ownPublicAddresses, list => `ip daddr ${list} tcp dport { 80, 443 } accept`),
      ...ruleFor(policy.resolvers, list => `${dns(list)} accept`),
      'goto refuse',
    ],
    forwarded: [
      ...ruleFor(
        policy.closedUplinks.map(name => `"${name}"`),
        list => `iifname ${list} oifname != "${ANY_PREFIX}*" ct state new ct status ! dnat drop`,
      ),
      `iifname != ${own} oifname != ${own} accept`,
      `iifname ${own} oifname ${own} goto between`,
      ...ifOpen(
        `oifname ${own} ct direction original goto from_outside`,
        `iifname ${own} ct direction reply goto from_outside`,
      ),
      'ct state established,related accept',
      `oifname "${ANY_PREFIX}*" goto refuse`,
      `ip saddr @${SETS.enclosed} goto refuse`,
      'jump limited',
      ...ruleFor(policy.resolvers, list => `${dns(list)} accept`),
      // In the network of an ordinary user, the machine is outside.
      ...ruleFor(policy.ownPublicAddresses, list => `ip daddr ${list} tcp dport { 80, 443 } accept`),
      ...ruleFor(policy.ownAddresses, list => `ip daddr ${list} goto refuse`),
      ...ruleFor(policy.reachableNetworks, list => `ip daddr ${list} accept`),
      ...ruleFor(policy.refusedNetworks, list => `ip daddr ${list} goto refuse`),
      'tcp dport 25 goto refuse',
    ],
    // Judged for each packet, so that a revoked permission ends open connections too.
    between: [
      'ct state new jump limited',
      `ct direction original ip saddr . ip daddr . tcp dport @${SETS.attached} accept`,
      `ct direction reply ip daddr . ip saddr . tcp sport @${SETS.attached} accept`,
      'goto refuse',
    ],
    from_outside: [
      'ct state related accept',
      `ct direction original ct status dnat ip saddr . tcp dport @${SETS.outside} accept`,
      `ct direction reply ip daddr . tcp sport @${SETS.outside} accept`,
      'goto refuse',
    ],
    limited: [`ct state new add @flows { iifname ct count over ${MOST_FLOWS} } goto refuse`],
    // A packet that is dropped would cost an application its whole time limit.
    refuse: ['meta l4proto tcp reject with tcp reset', 'reject with icmpx type admin-prohibited'],
    outgoing: [`ip saddr ${blockText(block)} oifname != "${ANY_PREFIX}*" masquerade`],
  };
  const hooks: Partial<Record<Chain, string>> = {
    anti_spoofing: 'type filter hook prerouting priority -300; policy accept;',
    entry_points: 'type nat hook prerouting priority -110; policy accept;',
    incoming: 'type filter hook input priority -10; policy accept;',
    forwarded: 'type filter hook forward priority -10; policy accept;',
    outgoing: 'type nat hook postrouting priority 90; policy accept;',
  };
  return [
    `add table inet ${table}`,
    `add set inet ${table} ${SETS.attached} { type ipv4_addr . ipv4_addr . inet_service; }`,
    `add set inet ${table} ${SETS.enclosed} { type ipv4_addr; }`,
    `add map inet ${table} ${SETS.services} { type inet_service : ipv4_addr . inet_service; }`,
    `add set inet ${table} ${SETS.neighbours} { type ipv4_addr . ipv4_addr; }`,
    `add map inet ${table} ${SETS.names} { type ipv4_addr . inet_service : ipv4_addr . inet_service; }`,
    `add set inet ${table} ${SETS.outside} { type ipv4_addr . inet_service; flags interval; }`,
    `add map inet ${table} ${SETS.opened} { type inet_service : ipv4_addr; }`,
    `add set inet ${table} flows { type ifname; flags dynamic; size 4096; }`,
    ...CHAINS.map(chain => `add chain inet ${table} ${chain}${hooks[chain] ? ` { ${hooks[chain]} }` : ''}`),
    ...CHAINS.map(chain => `flush chain inet ${table} ${chain}`),
    ...CHAINS.flatMap(chain => rules[chain].map(rule => `add rule inet ${table} ${chain} ${rule}`)),
    '',
  ].join('\n');
};
