/**
 * Headers of one connection, not of the message (RFC 9110 §7.6.1), and `Expect`, which the load balancer answers
 * itself.
 */
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
]);

/**
 * Headers in which proxies describe a client. Backends trust them, so clients may not send them. CGI maps `Proxy` to
 * HTTP_PROXY.
 */
const FORWARDING = new Set([
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'x-original-host',
  'x-original-url',
  'x-rewrite-url',
  'x-host',
  'x-scheme',
  'x-url-scheme',
  'front-end-https',
  'proxy',
]);

/** Whether a header belongs to one connection. The name is in lower case. */
export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name);

/** Whether only proxies may send a header. CGI and WSGI treat `X_Real_IP` as `X-Real-IP`. The name is in lower case. */
export const isForwarding = (name: string): boolean => {
  const plain = name.includes('_') ? name.replaceAll('_', '-') : name;
  return plain.startsWith('x-forwarded-') || FORWARDING.has(plain);
};
