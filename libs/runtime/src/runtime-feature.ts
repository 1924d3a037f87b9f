/**
 * Optional fields of a plan; `requestScaling` (targets of requests and idle time); `runs` (commands) and their `terminals`;
 * custom domains; `diskBackups`; `dockerfileOptions` of builds; and `sharedNetwork`, with which only one workspace may run code.
 */
export type RuntimeFeature =
  | 'instance'
  | 'drainSeconds'
  | 'releaseCommand'
  | 'processes'
  | 'disk'
  | 'diskBackups'
  | 'secretFiles'
  | 'healthCheck'
  | 'firstByteTimeout'
  | 'autoscaling'
  | 'requestScaling'
  | 'runs'
  | 'customDomains'
  | 'uploads'
  | 'images'
  | 'dockerfileOptions'
  | 'terminals'
  | 'sharedNetwork';
