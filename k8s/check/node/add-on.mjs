/** The objects of an add-on of the cluster: an account with rights, and a Deployment of one container. */
const RBAC = 'rbac.authorization.k8s.io';

/** @param role the name of its cluster role. */
export const addOn = ({ name, namespace, labels, role = name }) => {
  const named = (kind, apiVersion = 'v1', as = name) => ({ apiVersion, kind, metadata: { name: as, namespace } });
  const binding = (as, roleRef, inNamespace) => ({
    apiVersion: `${RBAC}/v1`,
    kind: inNamespace ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata: { name: as, ...(inNamespace && { namespace: inNamespace }) },
    roleRef: { apiGroup: RBAC, ...roleRef },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  return {
    named,
    binding,
    rights: rules => [
      named('ServiceAccount'),
      { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: role }, rules },
      binding(role, { kind: 'ClusterRole', name: role }),
    ],
    /** @param pod further fields of its pods, such as `volumes`. */
    deployment: (image, container, pod, annotations) => ({
      ...named('Deployment', 'apps/v1'),
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, ...(annotations && { annotations }) },
          spec: {
            serviceAccountName: name,
            containers: [{ name, image, imagePullPolicy: 'Never', ...container }],
            ...pod,
          },
        },
      },
    }),
    untilRolledOut: cluster =>
      cluster.kubectl('rollout', 'status', `deployment/${name}`, '--namespace', namespace, '--timeout=120s'),
  };
};
