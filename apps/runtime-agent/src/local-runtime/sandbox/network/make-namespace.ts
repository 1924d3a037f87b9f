import type { NetworkHost } from './network-host.js';

export interface NamespaceRequest {
  readonly id: string;
  /** The name of the namespace and of the link to it. */
  readonly name: string;
  readonly reach: 'internet' | 'nothing';
  /** All addresses of the installation, in CIDR notation. */
  readonly block: string;
  /** The addresses of both ends of the link. */
  readonly platform: string;
  readonly sandbox: string;
  readonly inwardPort?: number;
}

/**
 * Connections to these ports continue to 127.0.0.1, and seem to come from there: that is where programs expect a proxy of their own
 * machine, whose forwarding headers they trust.
 */
const inward = (port: number): string => `
table ip postern {
  set ports { type inet_service; elements = { ${port} }; }
  chain inward { type nat hook prerouting priority -100;
    iifname "eth0" tcp dport @ports dnat to 127.0.0.1
  }
  chain seen_as { type nat hook input priority 100;
    iifname "eth0" tcp dport @ports ct status dnat snat to 127.0.0.1
  }
}`;

/** Replaces the ports of a namespace that was made with one. */
export const inwardPorts = (ports: readonly number[]): string =>
  `flush set ip postern ports\nadd element ip postern ports { ${ports.join(', ')} }\n`;

/** Everything happens in one shell, because each further program would cost milliseconds. "$1" to "$4" are ip, nft, nsenter and the name. */
const SCRIPT = `set -e
ip=$1 nft=$2 nsenter=$3 name=$4
"$ip" netns add "$name"
"$ip" -batch - <<END
$5
END
echo 1 > "/proc/sys/net/ipv6/conf/$name/disable_ipv6" 2>/dev/null || :
echo 1 > "/proc/sys/net/ipv4/conf/$name/route_localnet"
exec "$nsenter" --net="/run/netns/$name" /bin/sh -ec '
"$1" -batch - <<END
$3
END
echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6 2>/dev/null || :
# Ports below 1024 belong to nobody here, and images expose them.
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null || :
[ -z "$4" ] || {
  echo 1 > /proc/sys/net/ipv4/conf/eth0/route_localnet
  printf %s "$4" | "$2" -f -
}' inside "$ip" "$nft" "$6" "$7"`;

/** @returns false if the name is in use. */
export const makeNamespace = async (
  host: Pick<NetworkHost, 'programs' | 'run'>,
  request: NamespaceRequest,
): Promise<boolean> => {
  const { id, name, reach, block, platform, sandbox, inwardPort } = request;
  const { ip, nft, nsenter } = host.programs;
  const outside = [
    `link add ${name} type veth peer name eth0 netns ${name}`,
    `link set ${name} alias ${id}`,
    `address add ${platform}/30 dev ${name}`,
    `link set ${name} up`,
  ].join('\n');
  const destination = reach === 'internet' ? 'default' : block;
  const inside = [
    'link set lo up',
    `address add ${sandbox}/30 dev eth0`,
    'link set eth0 up',
    `route add ${destination} via ${platform}`,
  ].join('\n');
  const script = inwardPort === undefined ? '' : inward(inwardPort);
  const args = ['-c', SCRIPT, 'make', ip, nft, nsenter, name, outside, inside, script];
  try {
    await host.run('/bin/sh', args);
    return true;
  } catch (error) {
    const isTaken = /File exists/.test((error as Error).message);
    if (isTaken) return false;
    await host.run(ip, ['link', 'delete', name]).catch(() => {});
    await host.run(ip, ['netns', 'delete', name]).catch(() => {});
    throw error;
  }
};
