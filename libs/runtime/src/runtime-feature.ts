/** Optional fields of a plan; `runs` (commands) and their `terminals`; custom domains; and `sharedNetwork`, with which only one workspace may run code. */
export type RuntimeFeature =
  | 'instance'
  | 'drainSeconds'
  | 'releaseCommand'
  | 'processes'
  | 'disk'
  | 'secretFiles'
  | 'healthCheck'
  | 'firstByteTimeout'
  | 'runs'
  | 'customDomains'
  | 'uploads'
  | 'images'
  | 'terminals'
  | 'sharedNetwork';
