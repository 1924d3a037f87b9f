import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { RELEASE, serviceImage } from '../images/images.mjs';

export const name = 'security';
export const title = 'the security of the charts holds inside the running containers';

const STATUS = ['Uid', 'Gid', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp'];
/** Writes to the root and to /tmp, and looks for a token, from inside. */
const PROBE = `
cat /proc/1/status
touch /probe 2>/dev/null && echo root=writable || echo root=read-only
touch /tmp/probe && echo tmp=writable || echo tmp=read-only
test -e /var/run/secrets/kubernetes.io && echo token=present || echo token=absent
`;

const asFields = output => {
  const fields = Object.fromEntries(
    [...output.matchAll(/^(\w+)[:=]\s*(.+)$/gm)].map(([, key, value]) => [key, value.split(/\s/)[0]]),
  );
  return Object.fromEntries([...STATUS, 'root', 'tmp', 'token'].map(key => [key, fields[key]]));
};

const NONE = '0000000000000000';

const demandIn = (pod, found, { user, token }) => {
  const words = JSON.stringify(found);
  demand(`${pod} runs as user ${user}`, found.Uid === user && found.Gid === user, words);
  demand(
    `${pod} has no capabilities and cannot gain any`,
    found.CapEff === NONE && found.CapBnd === NONE && found.NoNewPrivs === '1',
    words,
  );
  demand(`${pod} is behind a seccomp filter`, found.Seccomp === '2', words);
  demand(
    `${pod} can write to /tmp and not to its image`,
    found.root === 'read-only' && found.tmp === 'writable',
    words,
  );
  demand(
    `${pod} has ${token === 'present' ? 'the token of its account' : 'no token of Kubernetes'}`,
    found.token === token,
    words,
  );
};

const ofTenants = (kind, name, spec) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'postern-tenants' },
  spec,
});

/** What the ResourceQuota and the LimitRange of the tenants' namespace do. */
const tenantsAreLimited = async cluster => {
  const pods = '/api/v1/namespaces/postern-tenants/pods';
  const container = { name: 'none', image: serviceImage('email-send', RELEASE), command: ['sleep', '60'] };
  await cluster.api('POST', pods, ofTenants('Pod', 'check-limits', { containers: [container] }));
  const { spec } = await cluster.api('GET', `${pods}/check-limits`);
  await cluster.kubectl('delete', 'pod', 'check-limits', '--namespace', 'postern-tenants', '--now');
  const { limits } = spec.containers[0].resources;
  demand("a tenant's container without limits gets them", limits?.memory === '512Mi', JSON.stringify(spec.containers));
  const service = ofTenants('Service', 'check-limits', { type: 'LoadBalancer', ports: [{ port: 80 }] });
  const refusal = await cluster.api('POST', '/api/v1/namespaces/postern-tenants/services', service).then(
    () => 'created',
    error => error.message,
  );
  demand("a load balancer is refused in the tenants' namespace", /exceeded quota/.test(refusal), refusal);
};

export const run = async ({ cluster }) => {
  await tenantsAreLimited(cluster);
  const probe = async (pod, ...container) =>
    asFields(await cluster.exec('postern', pod, ...container, 'sh', '-c', PROBE));
  for (const service of SERVICES) {
    const pod = await cluster.podOf(service);
    const token = service === 'runtime-agent' ? 'present' : 'absent';
    demandIn(service, await probe(pod.metadata.name), { user: '10001', token });
  }
  demandIn('PostgreSQL', await probe('postern-postgresql-0'), { user: '999', token: 'absent' });
  demandIn('NATS', await probe('postern-nats-0'), { user: '1000', token: 'absent' });
};
