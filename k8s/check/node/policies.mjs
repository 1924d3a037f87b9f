/** Translates NetworkPolicies to iptables rules, because Debian's CNI plugins do not enforce them. IPv4 only. */

/** Chain that FORWARD and INPUT jump to, after the translation of Service addresses. */
export const CHAIN = 'POSTERN-POLICIES';
/** Mark of packets that a rule allows. kube-proxy uses 0x4000 and 0x8000. */
const ALLOWED = '0x100000/0x100000';
const FORGET = '0x0/0x100000';

const OPERATORS = {
  In: (value, values) => values.includes(value),
  NotIn: (value, values) => !values.includes(value),
  Exists: value => value !== undefined,
  DoesNotExist: value => value === undefined,
};

/** Whether a label selector matches; an empty one matches everything. @param {any} selector @param {any} labels */
export const selects = ({ matchLabels = {}, matchExpressions = [] }, labels = {}) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => OPERATORS[operator](labels[key], values));

const isIPv4 = cidr => !cidr.includes(':');

/** The addresses that a peer of a rule matches, and its exceptions. */
const addressesOf = (peer, policy, { pods, namespaces }) => {
  if (peer.ipBlock) {
    const { cidr, except = [] } = peer.ipBlock;
    return isIPv4(cidr) ? [{ cidr, except: except.filter(isIPv4) }] : [];
  }
  const home = policy.metadata.namespace;
  const isInNamespace = namespace =>
    peer.namespaceSelector
      ? selects(peer.namespaceSelector, namespaces.find(({ metadata }) => metadata.name === namespace)?.metadata.labels)
      : namespace === home;
  return pods
    .filter(({ metadata }) => isInNamespace(metadata.namespace) && selects(peer.podSelector ?? {}, metadata.labels))
    .map(({ status }) => ({ cidr: `${status.podIP}/32`, except: [] }));
};

const portMatch = ({ protocol = 'TCP', port, endPort }) => {
  if (typeof port === 'string') throw new Error(`the port ${port} has a name, which the check does not resolve`);
  if (port === undefined) return ['-p', protocol.toLowerCase()];
  return ['-p', protocol.toLowerCase(), '--dport', endPort ? `${port}:${endPort}` : `${port}`];
};

/** The rules of one direction of one pod: mark allowed packets, then reject packets without the mark. */
const chainOf = (name, policies, direction, cluster) => {
  const [rulesOf, peersOf, flag] = direction === 'Ingress' ? ['ingress', 'from', '-s'] : ['egress', 'to', '-d'];
  const lines = [`-A ${name} -j MARK --set-xmark ${FORGET}`];
  const blocks = [];
  for (const policy of policies)
    for (const rule of policy.spec[rulesOf] ?? []) {
      const ports = rule.ports?.length > 0 ? rule.ports.map(portMatch) : [[]];
      const peers = rule[peersOf];
      const targets =
        peers?.length > 0
          ? peers.flatMap(peer => addressesOf(peer, policy, cluster))
          : [{ cidr: '0.0.0.0/0', except: [] }];
      for (const { cidr, except } of targets) {
        let target = `MARK --set-xmark ${ALLOWED}`;
        if (except.length > 0) {
          target = `${name}-${blocks.length}`;
          blocks.push(target);
          lines.push(...except.map(each => `-A ${target} ${flag} ${each} -j RETURN`));
          lines.push(`-A ${target} -j MARK --set-xmark ${ALLOWED}`);
        }
        for (const port of ports) lines.push(['-A', name, ...port, flag, cidr, '-j', target].join(' '));
      }
    }
  lines.push(`-A ${name} -m mark --mark ${ALLOWED} -j RETURN`, `-A ${name} -j REJECT`);
  return { chains: [name, ...blocks], lines };
};

const typesOf = ({ spec }) => spec.policyTypes ?? ['Ingress', ...(spec.egress ? ['Egress'] : [])];

/** @returns {string} input of iptables-restore that enforces exactly these policies for these pods. */
export const rulesFor = ({ policies, pods: found, namespaces }) => {
  const pods = found.filter(
    ({ spec, status }) => status.podIP && !spec.hostNetwork && !['Succeeded', 'Failed'].includes(status.phase),
  );
  const chains = [CHAIN];
  const jumps = [`-A ${CHAIN} -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN`];
  const rules = [];
  for (const { metadata, status } of pods)
    for (const [direction, flag, letter] of [
      ['Egress', '-s', 'E'],
      ['Ingress', '-d', 'I'],
    ]) {
      const selecting = policies.filter(
        policy =>
          policy.metadata.namespace === metadata.namespace &&
          typesOf(policy).includes(direction) &&
          selects(policy.spec.podSelector, metadata.labels),
      );
      if (selecting.length === 0) continue;
      // Names of chains have at most 28 characters.
      const chain = chainOf(`P${letter}-${status.podIP}`, selecting, direction, { pods, namespaces });
      chains.push(...chain.chains);
      jumps.push(`-A ${CHAIN} ${flag} ${status.podIP}/32 -j ${chain.chains[0]}`);
      rules.push(...chain.lines);
    }
  // Inserted before the rules of kube-proxy, which accept translated packets.
  const first = ['FORWARD', 'INPUT'].flatMap(hook => [`-D ${hook} -j ${CHAIN}`, `-I ${hook} 1 -j ${CHAIN}`]);
  return ['*filter', ...chains.map(name => `:${name} - [0:0]`), ...rules, ...jumps, ...first, 'COMMIT', ''].join('\n');
};
