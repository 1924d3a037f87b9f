export { childProcesses } from './child-processes.js';
export { Cleanup } from './cleanup.js';
export { compileCache } from './compile-cache.js';
export { type Damage, damageFiles } from './damage-files.js';
export { type DatabaseCosts, databaseCosts } from './database-costs.js';
export { verifyWithDkimpy } from './dkimpy.js';
export { type DnsFailure, type DnsRecordType, type DnsValue, startDnsServer, type TestDns } from './dns.js';
export { dmarcReport, type ReportRecord, reportMail, tlsReport, zipOf } from './domain-reports.js';
export { type EximOptions, EximServer } from './exim.js';
export { FillableDisk, unmountFolder } from './fillable-disk.js';
export { freePort, privilegedPort } from './free-port.js';
export { type HttpAnswer, type ReceivedRequest, startHttpReceiver, type TestHttpReceiver } from './http-receiver.js';
export { instant } from './instant.js';
export { copyCluster, type KeptCluster } from './kept-clusters.js';
export { killProcess } from './kill-process.js';
export { type MessagePart, messageParts } from './message-parts.js';
export { startNats, type TestNats, type TestNatsOptions } from './nats.js';
export type { FindNatsOptions, NatsBinary } from './nats-binaries.js';
export { buildNatsServer, findNatsServer } from './nats-install.js';
export { type NatsOptions, NatsServer, spawnNats } from './nats-server.js';
export { findNft } from './nftables-install.js';
export { otherAddress } from './other-address.js';
export { PackedProject } from './packed-project.js';
export {
  forgetProcess,
  type ParentGuard,
  type ParentGuardOptions,
  releaseGuard,
  startParentGuard,
  watchProcess,
} from './parent-guard.js';
export { backUpPostgres, restorePostgres } from './physical-backup.js';
export { type PostfixOptions, PostfixServer, whyNoPostfix } from './postfix.js';
export { startPostgres, type TestPostgres, type TestPostgresOptions } from './postgres.js';
export { findPostgres, type PostgresBinaries, type SystemUser, unprivilegedUser } from './postgres-binaries.js';
export { type PostgresOptions, PostgresServer, spawnPostgres } from './postgres-server.js';
export { programFolder } from './program-folder.js';
export { RowsRead } from './rows-read.js';
export {
  SERVICES_WITH_DATABASE,
  type ServiceClusters,
  type ServiceWithDatabase,
  serviceDatabaseUrl,
  startServiceClusters,
} from './service-clusters.js';
export { type SilencingProxy, type SilencingProxyOptions, startSilencingProxy } from './silencing-proxy.js';
export {
  type SinkAnswer,
  type SinkMessage,
  type SinkRecipient,
  type SmtpSinkOptions,
  startSmtpSink,
  type TestSmtp,
} from './smtp-sink.js';
export { type RecordedSubmission, recordedSubmissions } from './submissions.js';
export { TcpBalancer } from './tcp-balancer.js';
export { createCertificates, type TestCertificates } from './test-certificates.js';
export { type FindValkeyOptions, findValkeyServer } from './valkey-install.js';
export { eventually, type WaitForOptions, waitFor } from './wait-for.js';
