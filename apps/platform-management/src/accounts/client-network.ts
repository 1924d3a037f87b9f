const GROUPS = 8;

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. */
export const clientNetworkOf = (ip: string): string => {
  if (!ip.includes(':') || !URL.canParse(`http://[${ip}]`)) return ip;
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: GROUPS - groups.length - last.length }, () => '0');
  return `${[...groups, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
};
