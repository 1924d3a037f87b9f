/**
 * What commands may use beside the one port they write through. A port that is not listed counts as one that writes, so
 * that a new one has to be placed before two of them can be combined.
 */
const WRITES_NOTHING: ReadonlySet<string> = new Set([
  // Read models, settings and rules.
  'AccountDirectory',
  'BounceNotices',
  'CallLimit',
  'DatabaseDirectory',
  'EmailSendConfig',
  'MetricStore',
  'Deployments',
  'ModerationSettings',
  'NamedValueReader',
  'PasswordRules',
  'ProjectOwners',
  'ReadModels',
  'SenderDirectory',
  'SendingSettings',
  'SuppressionList',
  'ReconcilerSettings',
  'WebServiceOwners',
  'WebServices',
  'WebServiceSettings',
  'WorkspaceUsage',
  // The world outside: nothing of it can be in a transaction, so commands order what they do there with care.
  'DatabaseRuntime',
  'DnsResolver',
  'DomainDns',
  'DomainRoutes',
  'DomainTarget',
  'EndpointClient',
  'MailRelay',
  'PasswordHasher',
  'ReturnPathProbes',
  'Runtime',
  'Services',
  'SystemMail',
  'TrackingTokens',
  'WebhookUrls',
  // Logs and counters.
  'ServiceLog',
  'ReportMetrics',
  'SignalMetrics',
  // Counts the attempts of a login, also of one that changes nothing in the end.
  'LoginGuard',
  // Use codes up before the command writes: a code of a command that fails after that must not work again.
  'AccountProof',
  'SecondFactorCheck',
]);

/** Commands that other commands use, by the port that they write through. */
const WRITES_THROUGH: Readonly<Record<string, string>> = {
  AttemptDelivery: 'DeliveryQueue',
  EmailSignals: 'TrackingTransactions',
  RecordSignals: 'TrackingTransactions',
};

/** Methods that only read, by how they are named; any other method of a port counts as one that writes. */
const READS = /^(find|list|all|get|is[A-Z]\w*|has[A-Z]\w*|missingFor|hashesOf|\w*Of|ofService|newCode|on[A-Z]\w*)$/;

/** The writing ports that a command calls, by their names. */
export const writingPortsIn = (text: string): string[] => {
  const ports = new Set<string>();
  for (const [, parameters = ''] of text.matchAll(/constructor\s*\(([^{]*?)\)\s*\{/g)) {
    for (const [, name, type = ''] of parameters.matchAll(/(\w+)\s*:\s*([A-Z]\w*)/g)) {
      const port = WRITES_THROUGH[type] ?? type;
      if (!WRITES_NOTHING.has(port) && writesWith(text, name ?? '')) ports.add(port);
    }
  }
  return [...ports].sort();
};

/** Calls a method that is not known to read. Being handed on to a function that asks who owns something is reading. */
const writesWith = (text: string, name: string): boolean =>
  [...text.matchAll(new RegExp(`\\bthis\\.${name}\\.(\\w+)`, 'g'))].some(([, method = '']) => !READS.test(method));
