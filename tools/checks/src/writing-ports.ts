/**
 * Ports that commands may use in addition to the one port that they write through. An unlisted port counts as writing, so
 * a new port must be added here before a command can use it together with another one.
 */
const WRITES_NOTHING: ReadonlySet<string> = new Set([
  // Read models, settings and rules.
  'AccountDirectory',
  'BounceNotices',
  'CallLimit',
  'CompleteEmail',
  'DatabaseClock',
  'DatabaseTime',
  'EmailSendConfig',
  'MetricStore',
  'Deployments',
  'ModerationSettings',
  'NamedValueReader',
  'NewPasswords',
  'ProjectOwners',
  'ReportedCopies',
  'SenderDirectory',
  'SendingSettings',
  'SharedNetwork',
  'StoredUploads',
  'SuppressionList',
  'ReconcilerSettings',
  'WebServices',
  'WebServiceSettings',
  'WorkspaceUsage',
  // External systems: they cannot take part in a transaction, so commands must order their calls carefully.
  'DatabaseOrders',
  'DatabaseRuntime',
  'DeliveryTracking',
  'DnsResolver',
  'DomainDns',
  'DomainRoutes',
  'DomainTarget',
  'EndpointClient',
  'ExternalAddress',
  'MailRelay',
  'PasswordHasher',
  'Providers',
  'ReturnPathProbes',
  'Runtime',
  'SystemMail',
  'TrackingTokens',
  'WebhookUrls',
  // Logs and counters.
  'ServiceLog',
  'ReportMetrics',
  'SignalMetrics',
  // Count the attempts of a login or a re-authentication, including those that change nothing.
  'LoginGuard',
  'Reauthentication',
  // Invalidate codes before the command writes: the code of a command that fails later must not work again.
  'SecondFactorCheck',
  'TwoFactorReauthentication',
]);

/** Commands that other commands use, with the port that they write through. */
const WRITES_THROUGH: Readonly<Record<string, string>> = {
  AttemptDelivery: 'DeliveryQueue',
  EmailSignals: 'TrackingTransactions',
  RecordSignals: 'TrackingTransactions',
};

/** Names of methods that only read; any other method of a port counts as writing. */
const READS = /^(find|list|all|get|is[A-Z]\w*|has[A-Z]\w*|missingFor|hashesOf|\w*Of|ofService|newCode|on[A-Z]\w*)$/;

/** The names of the writing ports that a command calls. */
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

/** Whether the text calls a method that is not known to read. Passing the port on, for an ownership check, counts as reading. */
const writesWith = (text: string, name: string): boolean =>
  [...text.matchAll(new RegExp(`\\bthis\\.${name}\\.(\\w+)`, 'g'))].some(([, method = '']) => !READS.test(method));
