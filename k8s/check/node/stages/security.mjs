import { demand } from '../../../../docker/check/report.mjs';
import { SERVICES } from '../../helm.mjs';
import { RELEASE, serviceImage } from '../images/images.mjs';
import { asFields, demandRestricted, PROBE } from '../probe.mjs';

export const name = 'security';
export const title = 'the security of the charts holds inside the running containers';

const ofTenants = (kind, name, spec) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'postern-tenants' },
  spec,
});

/** Effects of the ResourceQuota and the LimitRange of the tenant namespace. */
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
  const probe = async pod => asFields(await cluster.exec('postern', pod, 'sh', '-c', PROBE));
  for (const service of SERVICES) {
    const pod = await cluster.podOf(service);
    const token = service === 'runtime-agent' ? 'present' : 'absent';
    demandRestricted(service, await probe(pod.metadata.name), { user: '10001', token });
  }
  demandRestricted('PostgreSQL', await probe('postern-postgresql-0'), { user: '999', token: 'absent' });
  demandRestricted('NATS', await probe('postern-nats-0'), { user: '1000', token: 'absent' });
};
