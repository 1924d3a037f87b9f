/** Values that let a whole installation and its rollouts fit on a node with 2 CPUs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../../helm.mjs';

const SMALL = {
  replicas: 1,
  autoscaling: { minReplicas: 1, maxReplicas: 2 },
  resources: { requests: { cpu: '50m', memory: '128Mi' } },
  migrations: { resources: { requests: { cpu: '50m', memory: '128Mi' } } },
};
/** A limit above the rate of the load. */
const SANDBOX = { env: { POSTERN_SANDBOX_DAILY_LIMIT: 100_000, POSTERN_SANDBOX_PER_MINUTE_LIMIT: 6_000 } };

const valuesOf = service => {
  const { resources } = SMALL;
  if (service === 'runtime-agent') return { resources };
  return { ...SMALL, ...(service === 'email-send' && SANDBOX) };
};

const WHOLE = 'k8s/charts/postern --namespace postern';

/** @returns {string[][]} replacements that make the commands use these values. */
export const smallValues = folder => {
  const write = (name, values) => {
    const file = join(folder, `small-${name}.yaml`);
    writeFileSync(file, JSON.stringify(values));
    return file;
  };
  const whole = write('whole', {
    ...Object.fromEntries(SERVICES.map(service => [service, valuesOf(service)])),
    trial: Object.fromEntries(
      ['postgresql', 'nats'].map(name => [name, { resources: { requests: { cpu: '50m', memory: '128Mi' } } }]),
    ),
  });
  const reason = 'requests for a node of 2 CPUs';
  return [
    [WHOLE, `${WHOLE} -f ${whole}`, reason],
    ...SERVICES.map(service => {
      const own = `-f k8s/values/${service}.yaml`;
      return [own, `${own} -f ${write(service, valuesOf(service))}`, reason];
    }),
  ];
};
