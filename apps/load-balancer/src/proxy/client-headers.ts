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
 * Headers in which proxies describe a request. Backends trust them, so clients may not send them. CGI maps `Proxy` to
 * HTTP_PROXY.
 */
const FORWARDING = new Set([
  'forwarded',
  'forwarded-for',
  'x-forwarded',
  'x-host',
  'x-rewrite-url',
  'x-scheme',
  'x-url-scheme',
  'front-end-https',
  'proxy',
]);
/** Families of such headers. */
const FORWARDING_PREFIXES = /^(?:x-forwarded|x-original|x-envoy|wl-proxy)-/;
/** The address of a client, under the names of proxies and platforms: `Fly-Client-IP`, `X-Azure-ClientIP`, `CF-Connecting-IPv6`. */
const CLIENT_ADDRESS =
  /(?:^|-)(?:client|connecting|real|user|remote|source|socket|viewer|peer|external)-?(?:ip(?:v6)?|addr|address)$/;

/** Whether a header belongs to one connection. The name is in lower case. */
export const isHopByHop = (name: string): boolean => HOP_BY_HOP.has(name);

/** Whether only proxies may send a header. CGI and WSGI treat `X_Real_IP` as `X-Real-IP`. The name is in lower case. */
export const isForwarding = (name: string): boolean => {
  const plain = name.includes('_') ? name.replaceAll('_', '-') : name;
  return FORWARDING.has(plain) || FORWARDING_PREFIXES.test(plain) || CLIENT_ADDRESS.test(plain);
};
