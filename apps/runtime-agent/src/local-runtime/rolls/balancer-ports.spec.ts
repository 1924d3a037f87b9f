import { beforeEach, expect, it } from '@jest/globals';
import type { BalancerRoute, LoadBalancerClient } from '@postern/load-balancer-client';
import type { ServedPort } from '../sandbox/network/ruleset.js';
import { BalancerPorts } from './balancer-ports.js';

let urls: string[];
let calls: string[];
let ports: BalancerPorts;

beforeEach(() => {
  urls = [];
  calls = [];
  const balancer = {
    routes: async () => urls.map(url => ({ url }) as BalancerRoute),
    reserve: async (id: string) => `http://127.0.0.1:${id}`,
  } as unknown as LoadBalancerClient;
  const record = (name: string) => async (served: readonly ServedPort[]) => {
    calls.push(`${name} ${served.map(({ host, port }) => `${host}:${port}`).join(' ')}`);
  };
  ports = new BalancerPorts(balancer, { rules: { serve: record('serve'), serveToo: record('serve too') } });
});

it('serves exactly the ports of the routes, once for each change', async () => {
  urls = ['http://127.0.0.1:20001', 'http://192.0.2.7:20000', 'https://shop-1.example.com'];
  await ports.routes();
  await ports.routes();
  urls = [];
  await ports.routes();
  expect(calls).toEqual(['serve 192.0.2.7:20000 127.0.0.1:20001', 'serve ']);
});

it('adds the port of a new route, and keeps those that another process serves', async () => {
  expect(await ports.reserve('20002', 'shop')).toBe('http://127.0.0.1:20002');
  await ports.reserve('20002', 'shop');
  await ports.reserve('2000', 'other');
  expect(calls).toEqual(['serve too 127.0.0.1:20002', 'serve too 127.0.0.1:2000']);
});
