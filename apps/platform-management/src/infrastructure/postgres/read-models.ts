/** The stored projections. A feature waits for one by its name, without importing the features that it is composed of. */
export const READ_MODELS = {
  accounts: { name: 'accounts' },
  resources: { name: 'resources' },
  webServices: { name: 'web-services' },
  databases: { name: 'databases' },
  quotas: { name: 'quotas' },
} as const;
