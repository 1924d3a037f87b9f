/** Rules for every object of the charts, in addition to schema validation. A rule returns its violations as sentences. */

/** @param {any[]} objects @returns {any[]} */
const templatesOf = objects =>
  objects.flatMap(object =>
    ['Deployment', 'StatefulSet', 'Job'].includes(object.kind)
      ? [{ owner: object, name: `${object.kind} ${object.metadata.name}`, ...object.spec.template }]
      : [],
  );

/** @param {any[]} objects @returns {any[]} */
const containersOf = objects =>
  templatesOf(objects).flatMap(template =>
    template.spec.containers.map(container => ({ template, container, name: template.name })),
  );

const matches = (selector, labels) =>
  Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels?.[key] === value) &&
  (selector?.matchExpressions ?? []).every(
    ({ key, operator, values }) => operator === 'In' && values.includes(labels?.[key]),
  );

const ofKind = (objects, ...kinds) => objects.filter(({ kind }) => kinds.includes(kind));
const named = ({ kind, metadata }) => `${kind} ${metadata.name}`;
const when = (condition, details) => (condition ? [details] : []);

/** Services with public ports, and these ports. */
const PUBLIC_PORTS = { 'api-gateway': [8080, 2587], 'delivery-tracking': [2525] };

/** A variable whose value must not be in a manifest. */
const SECRET_VARIABLE = /PASSWORD|SECRET|TOKEN$|KEYS?$|_RELAYS$|DATABASE_URL$/;

/** How long a container may be unresponsive before it is restarted. A node short of CPU pauses all its containers at once. */
const MIN_TOLERANCE_SECONDS = 60;
const toleranceOf = probe => (probe ? (probe.periodSeconds ?? 10) * (probe.failureThreshold ?? 3) : Infinity);

export const RULES = {
  'pods keep the restricted standard': objects => [
    ...templatesOf(objects).flatMap(({ name, spec: { securityContext = {} } }) => [
      ...when(securityContext.runAsNonRoot !== true || !(securityContext.runAsUser > 0), `${name} may run as root`),
      ...when(securityContext.seccompProfile?.type !== 'RuntimeDefault', `${name} has no seccomp profile`),
    ]),
    ...containersOf(objects).flatMap(({ name, container: { securityContext = {} } }) => [
      ...when(securityContext.readOnlyRootFilesystem !== true, `${name} can write to its root file system`),
      ...when(securityContext.allowPrivilegeEscalation !== false, `${name} may gain privileges`),
      ...when(!securityContext.capabilities?.drop?.includes('ALL'), `${name} keeps capabilities`),
    ]),
  ],

  'containers are bounded and probed': objects =>
    containersOf(objects).flatMap(({ name, template, container }) => [
      ...when(!container.resources?.requests?.cpu || !container.resources.requests.memory, `${name} requests nothing`),
      ...when(!container.resources?.limits?.memory, `${name} may take all memory`),
      ...when(
        template.owner.kind !== 'Job' && !(container.readinessProbe && container.livenessProbe),
        `${name} is not probed`,
      ),
      ...when(toleranceOf(container.livenessProbe) < MIN_TOLERANCE_SECONDS, `${name} is restarted by a short pause`),
    ]),

  'secrets are referred to': objects =>
    containersOf(objects).flatMap(({ name, container }) =>
      (container.env ?? []).flatMap(variable =>
        when(
          SECRET_VARIABLE.test(variable.name) && !variable.valueFrom?.secretKeyRef,
          `${name} spells out ${variable.name}`,
        ),
      ),
    ),

  'a variable is set once': objects =>
    containersOf(objects).flatMap(({ name, container }) =>
      (container.env ?? []).flatMap((variable, index, all) =>
        when(all.findIndex(other => other.name === variable.name) !== index, `${name} sets ${variable.name} twice`),
      ),
    ),

  'every pod is behind a NetworkPolicy': objects =>
    templatesOf(objects).flatMap(({ owner, name, metadata }) =>
      ['Ingress', 'Egress'].flatMap(direction =>
        when(
          !ofKind(objects, 'NetworkPolicy').some(
            policy =>
              policy.metadata.namespace === owner.metadata.namespace &&
              policy.spec.policyTypes.includes(direction) &&
              matches(policy.spec.podSelector, metadata.labels),
          ),
          `${name} has no policy for ${direction}`,
        ),
      ),
    ),

  'only the gateway and the bounce listener face outward': objects => [
    ...ofKind(objects, 'NetworkPolicy').flatMap(policy =>
      (policy.spec.ingress ?? []).flatMap(({ from, ports = [] }) => {
        const own = PUBLIC_PORTS[policy.spec.podSelector.matchLabels?.['app.kubernetes.io/name']] ?? [];
        const open = !from || from.length === 0;
        const isOwn = ports.length > 0 && ports.every(({ port }) => own.includes(port));
        return when(open && !isOwn, `${named(policy)} lets everybody in`);
      }),
    ),
    ...ofKind(objects, 'Service').flatMap(service => {
      const app = service.spec.selector['app.kubernetes.io/name'];
      return when(
        service.spec.type && service.spec.type !== 'ClusterIP' && !(app in PUBLIC_PORTS),
        `${named(service)} faces outward`,
      );
    }),
    ...ofKind(objects, 'Ingress', 'HTTPRoute').flatMap(route =>
      when(
        route.metadata.labels['app.kubernetes.io/name'] !== 'api-gateway',
        `${named(route)} does not lead to the gateway`,
      ),
    ),
  ],

  'only runtime-agent speaks to Kubernetes': objects => [
    ...templatesOf(objects).flatMap(({ name, metadata, spec }) =>
      when(
        spec.automountServiceAccountToken !== false && metadata.labels['app.kubernetes.io/name'] !== 'runtime-agent',
        `${name} gets a token`,
      ),
    ),
    ...ofKind(objects, 'ClusterRole', 'ClusterRoleBinding').map(
      object => `${named(object)} holds in the whole cluster`,
    ),
    ...ofKind(objects, 'Role').flatMap(role =>
      role.rules.flatMap(rule =>
        when(
          [...rule.apiGroups, ...rule.resources, ...rule.verbs].includes('*'),
          `${named(role)} has a right to everything`,
        ),
      ),
    ),
    ...ofKind(objects, 'RoleBinding').flatMap(binding =>
      when(
        binding.subjects.some(({ namespace }) => namespace === binding.metadata.namespace),
        `${named(binding)} reaches the Secrets of Postern`,
      ),
    ),
  ],

  'what selects finds': objects => {
    const pods = templatesOf(objects).filter(({ owner }) => owner.kind !== 'Job');
    const found = selector => pods.filter(({ metadata }) => matches(selector, metadata.labels));
    return [
      ...ofKind(objects, 'Deployment', 'StatefulSet').flatMap(object =>
        when(found(object.spec.selector).length !== 1, `${named(object)} selects other pods than its own`),
      ),
      ...ofKind(objects, 'PodDisruptionBudget').flatMap(object =>
        when(found(object.spec.selector).length !== 1, `${named(object)} selects no pods, or too many`),
      ),
      ...ofKind(objects, 'Service').flatMap(service =>
        found({ matchLabels: service.spec.selector }).length === 1
          ? service.spec.ports.flatMap(({ targetPort }) =>
              when(
                !found({ matchLabels: service.spec.selector })[0].spec.containers.some(({ ports = [] }) =>
                  ports.some(({ name }) => name === targetPort),
                ),
                `${named(service)} leads to the port ${targetPort}, which is not there`,
              ),
            )
          : [`${named(service)} selects no pods, or too many`],
      ),
      ...ofKind(objects, 'HorizontalPodAutoscaler').flatMap(object =>
        when(
          !ofKind(objects, 'Deployment').some(({ metadata }) => metadata.name === object.spec.scaleTargetRef.name),
          `${named(object)} scales nothing`,
        ),
      ),
    ];
  },

  'an autoscaler alone says how many': objects =>
    ofKind(objects, 'HorizontalPodAutoscaler').flatMap(({ spec }) =>
      ofKind(objects, 'Deployment').flatMap(deployment =>
        when(
          deployment.metadata.name === spec.scaleTargetRef.name && deployment.spec.replicas !== undefined,
          `${named(deployment)} has replicas beside an autoscaler`,
        ),
      ),
    ),

  'a database is migrated before its service is replaced': objects =>
    ofKind(objects, 'Deployment').flatMap(deployment => {
      const needs = deployment.spec.template.spec.containers[0].env.some(({ name }) => name === 'POSTERN_DATABASE_URL');
      const job = ofKind(objects, 'Job').find(
        ({ metadata }) => metadata.name === `${deployment.metadata.name}-migration`,
      );
      const hooks = job?.metadata.annotations['helm.sh/hook'].split(',') ?? [];
      return when(needs && !hooks.includes('pre-upgrade'), `${named(deployment)} is replaced without a migration`);
    }),

  'names are taken once': objects =>
    objects.flatMap((object, index) => {
      const identity = ({ apiVersion, kind, metadata }) =>
        `${apiVersion} ${kind} ${metadata.namespace} ${metadata.name}`;
      return when(
        objects.findIndex(other => identity(other) === identity(object)) !== index,
        `${named(object)} is there twice`,
      );
    }),
};

/** All violations of the rules. */
export const broken = objects =>
  Object.entries(RULES).flatMap(([rule, violations]) => violations(objects).map(details => `${rule}: ${details}`));
