// Written by `node tools/checks/sdk-types.mjs` from the OpenAPI document of the public API. Do not edit.

export interface EmailRecord {
  /** Id of the message. Events about the message have it as `email_id`. */
  readonly id: string;
  /** `sent`: the relay accepted the message for at least one recipient. `failed`: it accepted it for none. Events report what happens afterwards. */
  readonly status: 'sent' | 'failed';
  /** `production`: sent from your domain. `sandbox`: sent from the sandbox sender, to verified recipients only. `sandbox_fallback`: sent from the sandbox sender, because the domain of `from` is not verified. */
  readonly mode: 'production' | 'sandbox' | 'sandbox_fallback';
  /** The From address that was used. */
  readonly from: string;
  /** The recipients in `to`, as they were sent. */
  readonly to: readonly string[];
  /** Human-readable result. */
  readonly message: string;
}

/** The outcomes, in the order of the messages. */
export type SendEmailBatchReply = ReadonlyArray<AcceptedBatchEmail | RefusedBatchEmail>;

export interface AcceptedBatchEmail {
  /** Always 200. */
  readonly status: 200;
  /** The record of the message. */
  readonly email: EmailRecord;
}

export interface RefusedBatchEmail {
  /** The status that `POST /emails` would have had. */
  readonly status: number;
  /** What is wrong, and what to do. */
  readonly error: string;
  /** As in the header `Error-Code`. */
  readonly error_code: string;
}

export interface ScheduledEmail {
  /** Id of the scheduled message. The message itself has another id when it is sent. */
  readonly id: string;
  /** When the message is sent. */
  readonly send_at: string;
  /** `scheduled`: it waits, or is being sent. `sent`: the relay accepted it for at least one recipient. `failed`: it was not sent; `error` says why. `cancelled`: it will not be sent. */
  readonly state: 'scheduled' | 'sent' | 'cancelled' | 'failed';
  /** Id of the message for `GET /emails/{id}` and in events; absent before it is sent. */
  readonly email_id?: string;
  /** Why it was not sent. */
  readonly error?: string;
}

export interface ListScheduledEmailsReply {
  /** The items of this page. */
  readonly items: readonly ScheduledEmail[];
  /** Number of items on all pages. */
  readonly total: number;
  /** Maximum number of items on a page. */
  readonly limit: number;
  /** Number of items before this page. */
  readonly offset: number;
}

export interface CreateWebhookListenerReply {
  /** Id of the listener. */
  readonly id: string;
  /** When it is deleted unless it is read until then. */
  readonly expires_at: string;
}

export interface ReadWebhookListenerReply {
  /** Oldest first; none if there was no event in the time. */
  readonly events: ReadonlyArray<{
    /** Consecutive; a gap shows how many events were left out. */
    readonly number: number;
    /** The body that a webhook would receive, byte for byte. */
    readonly body: string;
  }>;
}

export interface Deletion {
  /** ID of the deleted resource. */
  readonly id: string;
  /** Always true. */
  readonly deleted: true;
}

export interface PlatformKey {
  /** Id of the key. */
  readonly id: string;
  /** Name of the key. */
  readonly name: string;
  /** The first 12 characters of the key. */
  readonly key_prefix: string;
  /** `read` allows GET; `write` allows everything. `read` also while the user of the key is a viewer. */
  readonly scope: 'read' | 'write';
  /** When the key expires; null if never. */
  readonly expiry: string | null;
  /** The projects that the key is restricted to; absent for all. */
  readonly projects?: readonly string[];
  /** The operations that the key allows; absent for all. */
  readonly operations?: ReadonlyArray<
    | 'projects:read'
    | 'projects:write'
    | 'project-secrets:read'
    | 'project-secrets:write'
    | 'web-services:read'
    | 'web-services:write'
    | 'deployments:read'
    | 'deployments:write'
    | 'environment:read'
    | 'environment:write'
    | 'logs-and-metrics:read'
    | 'logs-and-metrics:write'
    | 'databases:read'
    | 'databases:write'
    | 'runs:read'
    | 'runs:write'
  >;
}

export interface ListDatabasesReply {
  /** The items of this page. */
  readonly items: readonly Database[];
  /** Number of items on all pages. */
  readonly total: number;
  /** Maximum number of items on a page. */
  readonly limit: number;
  /** Number of items before this page. */
  readonly offset: number;
}

export interface Database {
  /** Id of the database. */
  readonly id: string;
  /** Name of the database. */
  readonly name: string;
  /** `relational` for PostgreSQL, `key_value` for a key-value store. */
  readonly kind: 'relational' | 'key_value';
  /** Clients can connect while it is `running`. */
  readonly status: 'creating' | 'running' | 'unavailable' | 'failed' | 'deleting';
  /** Why the database is unavailable or failed; otherwise null. */
  readonly status_reason: string | null;
  /** Name of the plan, which sets the limits. */
  readonly plan: string;
  /** Limits of the plan. */
  readonly limits: {
    /** Maximum CPU, in thousandths of a core. */
    readonly cpu_millicores: number;
    /** Maximum memory. */
    readonly memory_bytes: number;
    /** Maximum size of the data. */
    readonly storage_bytes: number;
    /** Maximum number of connections at the same time. */
    readonly connections: number;
  };
  /** Hosts that clients connect to. */
  readonly hostnames: readonly string[];
  /** When the database was created. */
  readonly created_at: string;
}

export interface GetDatabaseReply extends Database {
  /** Null for a key-value store, and if the database is not running. */
  readonly usage: DatabaseUsage | null;
  /** Null if the database could not be created, or is being deleted. */
  readonly connection?: DatabaseConnection | null;
  /** Major version of the server, such as `15`. Null for a key-value store, and if it is not running. */
  readonly server_version?: string | null;
  /** Whether clients outside of the platform can connect. */
  readonly external_access: ExternalAccess;
  /** Null for a key-value store, and while the database is being created or deleted. */
  readonly recovery: DatabaseRecovery | null;
}

export interface DatabaseUsage {
  /** Current CPU usage. */
  readonly cpu: {
    /** Thousandths of a core. */
    readonly millicores: number;
    /** Percentage of the limit. */
    readonly percent: number;
  };
  /** Current memory usage. */
  readonly memory: {
    /** Bytes in use. */
    readonly bytes: number;
    /** Percentage of the limit. */
    readonly percent: number;
  };
  /** Current size of the data and its log. */
  readonly storage: {
    /** Size of the files. */
    readonly bytes: number;
    /** Percentage of the limit. */
    readonly percent: number;
  };
}

export interface DatabaseConnection {
  /** Only attached web services and the machine of the platform can reach it. */
  readonly host: string;
  /** Port that the database listens on. */
  readonly port: number;
  /** The user that owns the data. */
  readonly username: string;
  /** Name of the database inside the server; null for a key-value store. */
  readonly database: string | null;
  /** Certificate (PEM) of the authority that signs the certificate of the server, for `sslmode=verify-full`. Null for a key-value store, which has no TLS, and if the database is not running. */
  readonly ca_certificate: string | null;
}

export interface ExternalAccess {
  /** Whether clients outside of the platform can connect. */
  readonly enabled: boolean;
  /** IPv4 networks that may connect while it is enabled. */
  readonly allowed_cidrs: readonly string[];
  /** Whether it is enabled for all addresses of the internet (`0.0.0.0/0`). */
  readonly open_to_everyone: boolean;
  /** Host for clients outside; null unless they can connect. */
  readonly host: string | null;
  /** Port for clients outside; null unless they can connect. */
  readonly port: number | null;
  /** Why clients outside cannot connect to this database on this installation, whatever is enabled; otherwise null. */
  readonly unavailable_reason: string | null;
}

export interface DatabaseRecovery {
  /** The oldest `target_time`; null if there is no backup to begin with. */
  readonly earliest: string | null;
  /** The newest `target_time`; null if there is no backup to begin with. */
  readonly latest: string | null;
  /** Why not every time until now is possible; null if it is. */
  readonly problem: string | null;
}

export interface UpdateDatabaseReply {
  /** Id of the database. */
  readonly id: string;
  /** The access after the change. */
  readonly external_access: ExternalAccess;
}

export interface DatabaseAttachment {
  /** Id of the attachment. */
  readonly id: string;
  /** Id of the database. */
  readonly database_id: string;
  /** Id of the web service. */
  readonly web_service_id: string;
  /** The environment variable with the connection URL. */
  readonly variable: string;
  /** When it was attached. */
  readonly created_at: string;
}

export type ListDatabaseAttachmentsReply = ReadonlyArray<{
  /** Id of the attachment. */
  readonly id: string;
  /** Id of the database. */
  readonly database_id: string;
  /** Id of the web service. */
  readonly web_service_id: string;
  /** The environment variable with the connection URL. */
  readonly variable: string;
  /** When it was attached. */
  readonly created_at: string;
  /** Name of the web service. */
  readonly web_service_name: string;
}>;

export interface DatabaseBackup {
  /** Id of the backup. */
  readonly id: string;
  /** False if a user requested it. */
  readonly scheduled: boolean;
  /** `creating` is not final. */
  readonly status: 'creating' | 'completed' | 'failed';
  /** Compressed size; null until it is completed. */
  readonly size_bytes: number | null;
  /** Why it failed. */
  readonly error: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly finished_at: string | null;
  /** Id of the database. */
  readonly database_id: string;
}

export type ListDatabaseBackupsReply = ReadonlyArray<{
  /** Id of the backup. */
  readonly id: string;
  /** False if a user requested it. */
  readonly scheduled: boolean;
  /** `creating` is not final. */
  readonly status: 'creating' | 'completed' | 'failed';
  /** Compressed size; null until it is completed. */
  readonly size_bytes: number | null;
  /** Why it failed. */
  readonly error: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly finished_at: string | null;
  /** Id of the database. */
  readonly database_id: string;
  /** Its newest restore; null if there was none. */
  readonly last_restore: DatabaseRestore | null;
}>;

export interface DatabaseRestore {
  /** Id of the restore. */
  readonly id: string;
  /** Id of the backup. */
  readonly backup_id: string;
  /** `restoring` is not final. */
  readonly status: 'restoring' | 'completed' | 'failed';
  /** Why it failed; the data are as before then. */
  readonly error: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly finished_at: string | null;
}

export interface DatabaseExtension {
  /** Name of the extension, as in `CREATE EXTENSION`. */
  readonly name: string;
  /** The version on the machine of the platform. */
  readonly version: string;
  /** The version in the database; null if it is not enabled. */
  readonly installed_version: string | null;
  /** What it is for, in the words of its authors. */
  readonly description: string | null;
}

export type ListDatabaseExtensionsReply = readonly DatabaseExtension[];

export interface Project {
  /** Id of the project. */
  readonly id: string;
  /** Name of the project. */
  readonly name: string;
  /** What the project is for; null if there is no description. */
  readonly description: string | null;
  /** When the project was created. */
  readonly created_at: string;
}

export type ListProjectsReply = readonly Project[];

export type ListProjectSecretsReply = Readonly<Record<string, readonly ProjectSecret[]>>;

export interface ProjectSecret {
  /** Id of the secret. */
  readonly id: string;
  /** The environment whose web services get the value. */
  readonly scope: 'production' | 'staging' | 'development';
  /** Value of the secret; `********` if it is secret. */
  readonly value: string;
  /** Whether the value is masked in replies and logs. */
  readonly is_secret: boolean;
}

export interface SetProjectSecretReply extends ProjectSecret {
  /** Name of the variable that web services get. */
  readonly key: string;
}

export interface BulkResult {
  /** The keys that are new. */
  readonly created: readonly string[];
  /** The keys that existed and have the new value. */
  readonly updated: readonly string[];
}

export interface WebService {
  /** Id of the web service. */
  readonly id: string;
  /** The project of the web service. */
  readonly project_id: string;
  /** Name of the web service. */
  readonly name: string;
  /** The Git repository that is deployed; null with an `image`. */
  readonly git_repository_url: string | null;
  /** Null for the default branch of the repository. */
  readonly branch: string | null;
  /** Command that builds the web service; null if there is none. */
  readonly build_command: string | null;
  /** Command that starts an instance; null for the `web` line of a Procfile or the `start` script. */
  readonly start_command: string | null;
  /** Null to check only that the port accepts connections. */
  readonly health_check_path: string | null;
  /** The port of the web service. Instances listen on the port in the variable `PORT`. Null for the port that its image exposes. */
  readonly port: number | null;
  /** Minimum number of instances. */
  readonly min_instances: number;
  /** Maximum number of instances. */
  readonly max_instances: number;
  /** Which project secrets the service gets. */
  readonly environment: 'production' | 'staging' | 'development';
  /** Runs once with each new build, before its instances start; null for none. */
  readonly release_command: string | null;
  /** The limits of each instance; null for the default of the runtime. */
  readonly instance: {
    /** Memory limit of an instance in MiB. */
    readonly memory_mib: number;
    /** CPU limit of an instance in millicores; 1,000 are one core. */
    readonly cpu_millicores: number;
  } | null;
  /** Seconds that requests may take to finish after SIGTERM; null for the default. */
  readonly drain_seconds: number | null;
  /** The number of processes of each other process type of the Procfile, by name. They get no traffic. */
  readonly processes: Readonly<Record<string, number>>;
  /** A persistent disk, mounted at the path in the variable `DISK_PATH`; null for none. */
  readonly disk: {
    /** The size of the disk in MiB. It can only grow. */
    readonly size_mib: number;
  } | null;
  /** Whether a push deploys, where there is a deploy hook. */
  readonly auto_deploy: boolean;
  /** The folder that is built and started; null for the root of the repository. */
  readonly root_directory: string | null;
  /** A push deploys only if it changes a matching file; empty if every push deploys. */
  readonly watch_paths: readonly string[];
  /** How instances are checked; null for the defaults. */
  readonly health_check: HealthCheck | null;
  /** When instances are added and removed; null for the defaults. */
  readonly autoscaling: Autoscaling | null;
  /** How long the first byte of a response may take; null for the limit of the installation. */
  readonly first_byte_timeout_seconds: number | null;
  /** The image of a container registry that is deployed; null with a `git_repository_url`. */
  readonly image: string | null;
  /** The Dockerfile that is built; null for `Dockerfile`. */
  readonly dockerfile_path: string | null;
  /** The stage of the Dockerfile that is built; null for the last one. */
  readonly docker_target: string | null;
  /** Values of the `ARG` instructions of the Dockerfile, by name. */
  readonly build_args: Readonly<Record<string, string>>;
  /** Whether pull and merge requests get previews, where there is a deploy hook. */
  readonly previews: boolean;
  /** The web service that this one is a preview of; null for a web service that is no preview. */
  readonly preview_of: string | null;
  /** The number of the pull or merge request of a preview. */
  readonly pull_request: number | null;
  /** The page of the request; null if it is not known. */
  readonly pull_request_url: string | null;
  /** Why the Git host did not accept the last commit status or comment; null if it did, or if none was sent. */
  readonly commit_status_error: string | null;
  /** `created` until the first deployment is live. */
  readonly status: 'created' | 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';
  /** Why the last action failed; null if it succeeded. */
  readonly status_reason: string | null;
  /** The public URL. It does not change between deployments. */
  readonly url: string | null;
  /** Whether an operator has blocked the service for its content. */
  readonly blocked: boolean;
  /** Whether an operator has suspended the service for its bandwidth. */
  readonly suspended: boolean;
  /** Why the service is blocked or suspended. */
  readonly flag_reason: string | null;
  /** When the web service was created. */
  readonly created_at: string;
}

export interface HealthCheck {
  /** The `Host` header of the requests; the host of the service’s URL if absent or null. */
  readonly host?: string | null;
  /** How long a new instance may take until its first successful check; the release deadline if absent. */
  readonly grace_seconds?: number;
  /** Seconds between two checks; 3 if absent. */
  readonly interval_seconds?: number;
  /** Seconds that a check may take; 5 if absent. */
  readonly timeout_seconds?: number;
  /** Consecutive failed checks until an instance gets no more requests; 3 if absent. */
  readonly threshold?: number;
}

export interface Autoscaling {
  /** Target for the average CPU usage, in percent of the limit of an instance; 70 if there is no target. */
  readonly cpu_percent?: number | null;
  /** Target for the average memory usage, in percent of the limit of an instance. */
  readonly memory_percent?: number | null;
  /** Target for the requests per second of each instance. */
  readonly requests_per_second?: number | null;
  /** After so many minutes without a request the instances end; the next request starts them, and waits. Never if absent or null. */
  readonly idle_minutes?: number | null;
}

export type ListWebServicesReply = readonly WebService[];

export interface CronJob {
  /** Id of the cron job. */
  readonly id: string;
  /** The web service whose live release runs the command. */
  readonly web_service_id: string;
  /** Name of the cron job, unique in its web service. */
  readonly name: string;
  /** A cron expression of five fields, in the time zone. */
  readonly schedule: string;
  /** IANA time zone of the schedule. */
  readonly time_zone: string;
  /** The command, for a shell in the folder of the application. */
  readonly command: string;
  /** What happens if a run is still in progress at the next scheduled time: the new run is skipped, it replaces the current one, or both run. */
  readonly overlap: 'skip' | 'replace' | 'allow';
  /** A run that takes longer is stopped and fails. */
  readonly time_limit_seconds: number;
  /** Whether the job is enabled. */
  readonly enabled: boolean;
  /** The next time of the schedule; null while the job is disabled. */
  readonly next_run_at: string | null;
  /** The newest entry of its history; null before the first one. */
  readonly last_run: {
    /** Id of the run. */
    readonly id: string;
    /** `succeeded` for exit code 0. */
    readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
    /** The time of the schedule that it is for. */
    readonly scheduled_for: string;
  } | null;
  /** When the cron job was created. */
  readonly created_at: string;
}

export type ListCronJobsReply = readonly CronJob[];

export interface ListCronJobRunsReply {
  /** The items of this page. */
  readonly items: readonly Run[];
  /** Number of items on all pages. */
  readonly total: number;
  /** Maximum number of items on a page. */
  readonly limit: number;
  /** Number of items before this page. */
  readonly offset: number;
}

export interface Run {
  /** Id of the run. */
  readonly id: string;
  /** The web service whose release runs the command. */
  readonly web_service_id: string;
  /** The command, for a shell in the folder of the application. */
  readonly command: string;
  /** `succeeded` for exit code 0. `queued` and `running` are not final. */
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Null until the command has exited, and if it was stopped. */
  readonly exit_code: number | null;
  /** Why it did not succeed; null otherwise. */
  readonly reason: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When the command started; null before. */
  readonly started_at: string | null;
  /** When it ended; null before. */
  readonly finished_at: string | null;
  /** The cron job that it is a run of; null for a one-off command. */
  readonly cron_job_id: string | null;
  /** The time of the schedule that it is for. */
  readonly scheduled_for: string | null;
}

export interface StartWebServiceReply {
  /** Id of the web service. */
  readonly id: string;
  /** The status after the request; poll the web service to follow it. */
  readonly status: 'created' | 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';
}

export interface CreateDeployHookReply {
  /** Id of the deploy hook. */
  readonly id: string;
  /** The URL to call. Anyone who knows it can deploy. */
  readonly url: string;
  /** The secret for the webhook of a Git host. */
  readonly secret: string;
}

export interface GetDeployHookReply {
  /** Id of the deploy hook. */
  readonly id: string;
  /** When it was created. */
  readonly created_at: string;
  /** Its last calls, newest first. */
  readonly deliveries: ReadonlyArray<{
    /** When it was called. */
    readonly at: string;
    /** recorded: the web service does not deploy on push, or the request of a preview was closed. ignored: the reason says why. */
    readonly outcome: 'deployed' | 'recorded' | 'ignored';
    /** Why it was not deployed; null if it was. */
    readonly reason: string | null;
    /** The deployment; null if there is none. */
    readonly deployment_id: string | null;
  }>;
}

export interface CreateDeployKeyReply {
  /** A line of authorized_keys: `ssh-ed25519`, the key and a comment. */
  readonly public_key: string;
}

export interface Deployment {
  /** Id of the deployment. */
  readonly id: string;
  /** The web service that is deployed. */
  readonly web_service_id: string;
  /** Null until the default branch of the repository is known. */
  readonly branch: string | null;
  /** Hash of the commit; null until it is known, and for an upload or an image. */
  readonly commit: string | null;
  /** First line of the message of the commit; null until the build has ended, and for an upload. */
  readonly commit_message?: string | null;
  /** Name of the author of the commit, like `commit_message`. */
  readonly commit_author?: string | null;
  /** The deployment is in progress while it is `queued`, `building` or `releasing`. `live`: its release serves the traffic. `superseded`: a newer deployment replaced it. `rolled_back`: a rollback replaced it. */
  readonly status: 'queued' | 'building' | 'releasing' | 'live' | 'failed' | 'superseded' | 'rolled_back' | 'cancelled';
  /** Why the deployment failed or was cancelled. Before its end: what it waits for, if anything. */
  readonly error: string | null;
  /** When the deployment was requested. */
  readonly created_at: string;
  /** When the work began; null while it is queued. */
  readonly started_at: string | null;
  /** When it became live or ended; null before. */
  readonly finished_at: string | null;
  /** The stages that the deployment has reached, in order. A rollback has no `source` and no `build`. The last stage of a failed deployment is the one that failed. */
  readonly stages?: readonly DeploymentStage[];
  /** The earlier deployment that this one rolls back to. */
  readonly rollback_of: string | null;
  /** Only if the source was uploaded as an archive instead of fetched from the repository. */
  readonly upload?: {
    /** SHA-256 of the archive in hexadecimal. */
    readonly digest: string;
    /** The size of the archive in bytes. */
    readonly size_bytes: number;
  };
  /** Only for an image of a registry: its reference, with the digest as soon as it is known. A rollback runs the kept image of this digest. */
  readonly image?: string;
  /** Only while it waits for a slot to build: its place in the queue, where 1 is next. Workspaces take turns. */
  readonly queue_position?: number;
}

export interface DeploymentStage {
  /** `queue`: waits for its turn. `source`: finds the newest commit. `build`: fetches and builds it. `release`: runs the release command, starts instances and waits for their health checks. */
  readonly name: 'queue' | 'source' | 'build' | 'release';
  /** When the stage began. */
  readonly started_at: string;
  /** Null while the stage is in progress. */
  readonly finished_at: string | null;
}

export interface ListDeploymentsReply {
  /** The items of this page. */
  readonly items: readonly Deployment[];
  /** Number of items on all pages. */
  readonly total: number;
  /** Maximum number of items on a page. */
  readonly limit: number;
  /** Number of items before this page. */
  readonly offset: number;
}

export interface GetDeploymentLogsReply {
  /** At most 10,000 lines, oldest first. */
  readonly lines: readonly LogLine[];
}

export interface LogLine {
  /** When the line was written. */
  readonly timestamp: string;
  /** The instance or build that wrote the line. */
  readonly instance: string;
  /** `stdout` and `stderr` of an instance, the output of a `build`, or a message of the `platform`. */
  readonly stream: 'stdout' | 'stderr' | 'build' | 'platform';
  /** The line, with secret values masked. */
  readonly message: string;
}

export interface DiskBackup {
  /** Id of the backup. */
  readonly id: string;
  /** False if a user requested it. */
  readonly scheduled: boolean;
  /** `creating` is not final. */
  readonly status: 'creating' | 'completed' | 'failed';
  /** Compressed size; null until it is completed. */
  readonly size_bytes: number | null;
  /** Why it failed. */
  readonly error: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly finished_at: string | null;
  /** The web service with the disk. */
  readonly web_service_id: string;
}

export type ListDiskBackupsReply = ReadonlyArray<{
  /** Id of the backup. */
  readonly id: string;
  /** False if a user requested it. */
  readonly scheduled: boolean;
  /** `creating` is not final. */
  readonly status: 'creating' | 'completed' | 'failed';
  /** Compressed size; null until it is completed. */
  readonly size_bytes: number | null;
  /** Why it failed. */
  readonly error: string | null;
  /** When it was requested. */
  readonly created_at: string;
  /** When it ended; null before. */
  readonly finished_at: string | null;
  /** The web service with the disk. */
  readonly web_service_id: string;
  /** Its newest restore; null if there was none. */
  readonly last_restore: DatabaseRestore | null;
}>;

export interface CustomDomain {
  /** Id of the custom domain. */
  readonly id: string;
  /** Lower case; names in other scripts as A-labels. */
  readonly domain: string;
  /** Requests are routed once it is `verified`. */
  readonly status: 'pending' | 'verified';
  /** The target of the CNAME record of the domain. */
  readonly target: string;
  /** A TXT record that also proves ownership, for domains that cannot have a CNAME record. */
  readonly txt: {
    /** Name of the TXT record. */
    readonly name: string;
    /** Value of the TXT record. */
    readonly value: string;
  };
  /** What the last check found; null before it. */
  readonly message: string | null;
  /** When the domain was added. */
  readonly created_at: string;
  /** When it was verified; null before. */
  readonly verified_at: string | null;
  /** The certificate for HTTPS. Null before the first check, and if the installation does not check certificates. */
  readonly certificate?: {
    /** When it ends; null if there is none. */
    readonly valid_until: string | null;
    /** Why browsers refuse it; null if they do not. */
    readonly error: string | null;
    /** When Postern checked it; it does so each hour. */
    readonly checked_at: string;
  } | null;
}

export type ListCustomDomainsReply = readonly CustomDomain[];

export type ListVariablesReply = readonly Variable[];

export interface Variable {
  /** Id of the variable. */
  readonly id: string;
  /** Name of the variable. */
  readonly key: string;
  /** Value of the variable; `********` if it is secret. */
  readonly value: string;
  /** Whether the value is masked in replies and logs. */
  readonly is_secret: boolean;
}

export type ResolveEnvironmentReply = readonly ResolvedVariable[];

export interface ResolvedVariable {
  /** Name of the variable. */
  readonly key: string;
  /** Value of the variable; `********` if it is secret. */
  readonly value: string;
  /** Whether the value is masked in replies and logs. */
  readonly is_secret: boolean;
  /** `variable` of the web service, `database` that is attached to it, `project_secret` of its environment, or set by the `platform`. In this order, the first one takes precedence, except over the platform’s `PORT` and `DISK_PATH`. */
  readonly origin: 'variable' | 'database' | 'project_secret' | 'platform';
  /** Whether the running instances have this value; null if none runs. */
  readonly running: boolean | null;
}

export type ListSecretFilesReply = readonly SecretFile[];

export interface SecretFile {
  /** Id of the file. */
  readonly id: string;
  /** The path of the file below `/etc/secrets`. */
  readonly path: string;
  /** The size of the content in bytes. */
  readonly size_bytes: number;
  /** When the content was last set. */
  readonly updated_at: string;
}

export interface SetGitTokenReply {
  /** The user name that is sent with the token. */
  readonly username: string;
  /** The host that the token is sent to. */
  readonly host: string;
}

export interface LogDrain {
  /** Id of the log drain. */
  readonly id: string;
  /** Id of the web service. */
  readonly web_service_id: string;
  /** `syslog`: RFC 5424 over TLS. `https`: a POST of newline-delimited JSON. `otlp`: OTLP/HTTP with JSON. */
  readonly kind: 'syslog' | 'https' | 'otlp';
  /** Where the lines are sent; values of the query are masked. */
  readonly url: string;
  /** Names of the stored headers. Their values are never returned. */
  readonly header_names: readonly string[];
  /** `failing`: every attempt since `failing_since` failed; Postern keeps trying. `disabled`: nothing is sent until it is enabled again. */
  readonly state: 'active' | 'failing' | 'disabled';
  /** The first of the attempts that all failed; null after a success. */
  readonly failing_since: string | null;
  /** Why the last attempt failed; null after a success. */
  readonly last_error: string | null;
  /** When lines were last accepted; null before the first time. */
  readonly last_delivered_at: string | null;
  /** When a failing drain is tried again; null for any other. */
  readonly next_attempt_at: string | null;
  /** Stored lines that were not sent yet, at the last attempt; null if the runtime does not count them. */
  readonly lines_waiting: number | null;
  /** Lines that the log deleted before they could be sent, since the drain was created. */
  readonly lines_lost: number;
  /** When the log drain was created. */
  readonly created_at: string;
}

export type ListLogDrainsReply = readonly LogDrain[];

export interface TestLogDrainReply {
  /** Whether the receiver accepted the line. */
  readonly accepted: boolean;
  /** Why it did not; null if it did. */
  readonly error: string | null;
  /** Milliseconds until the receiver answered. */
  readonly duration_ms: number;
}

export interface GetLogsReply {
  /** Log lines, oldest first. */
  readonly lines: readonly LogLine[];
}

export interface Usage {
  /** CPU usage of all running instances. */
  readonly cpu: {
    /** Thousandths of a core. */
    readonly millicores: number;
    /** Percentage of the limit of all running instances. */
    readonly percent: number;
  };
  /** Memory usage of all running instances. */
  readonly memory: {
    /** Bytes in use. */
    readonly bytes: number;
    /** Percentage of the limit of all running instances. */
    readonly percent: number;
  };
  /** Number of running instances. */
  readonly instances: number;
}

export interface GetMetricsHistoryReply {
  /** Seconds before now, as requested. */
  readonly period: number;
  /** Seconds between two points. */
  readonly step: number;
  /** Measurements, oldest first; none for times without instances. */
  readonly points: ReadonlyArray<{
    /** CPU usage of all running instances. */
    readonly cpu: {
      /** Thousandths of a core. */
      readonly millicores: number;
      /** Percentage of the limit of all running instances. */
      readonly percent: number;
    };
    /** Memory usage of all running instances. */
    readonly memory: {
      /** Bytes in use. */
      readonly bytes: number;
      /** Percentage of the limit of all running instances. */
      readonly percent: number;
    };
    /** Number of running instances. */
    readonly instances: number;
    /** When the usage was measured. */
    readonly timestamp: string;
    /** Requests; null where they are not counted, as on Kubernetes. */
    readonly requests: {
      /** Answered requests per second. */
      readonly per_second: number;
      /** Answers per second with a status of 500 or above. */
      readonly errors_per_second: number;
      /** Average milliseconds until an answer began; null without requests. */
      readonly response_ms: number | null;
    } | null;
  }>;
}

export type ListProcessesReply = ReadonlyArray<{
  /** The process type of the Procfile. */
  readonly type: string;
  /** The configured number. */
  readonly configured: number;
  /** The number that is running. */
  readonly running: number;
  /** How often it was restarted recently, and why, if it crashes repeatedly. */
  readonly failure: string | null;
}>;

export interface SetRegistryCredentialsReply {
  /** The user name at the registry. */
  readonly username: string;
  /** The registry that the credentials are sent to. */
  readonly host: string;
}

export interface GetRepositoryCredentialsReply {
  /** Null if there is none. */
  readonly deploy_key: {
    /** A line of authorized_keys: `ssh-ed25519`, the key and a comment. */
    readonly public_key: string;
    /** When it was created. */
    readonly created_at: string;
    /** Keys of servers that were stored at the first connection. */
    readonly host_keys: ReadonlyArray<{
      /** The server, with its port if that is not 22. */
      readonly host: string;
      /** `SHA256:` and the digest in base64, as ssh-keygen shows it. */
      readonly fingerprint: string;
    }>;
  } | null;
  /** Null if there is none. */
  readonly git_token: {
    /** The user name that is sent with the token. */
    readonly username: string;
    /** The host that the token is sent to. */
    readonly host: string;
    /** When it was set. */
    readonly created_at: string;
  } | null;
  /** The credentials of a container registry; null if there are none. */
  readonly registry?: {
    /** The user name at the registry. */
    readonly username: string;
    /** The registry that the credentials are sent to. */
    readonly host: string;
    /** When they were set. */
    readonly created_at: string;
  } | null;
}

export interface ListRunsReply {
  /** The items of this page. */
  readonly items: readonly Run[];
  /** Number of items on all pages. */
  readonly total: number;
  /** Maximum number of items on a page. */
  readonly limit: number;
  /** Number of items before this page. */
  readonly offset: number;
}

export interface GetRunReply extends Run {
  /** The last 1,000 lines of output, oldest first. */
  readonly lines: readonly LogLine[];
}

/** The receiving server accepted the message. */
export interface DeliveredEvent {
  /** Always `delivered`. */
  readonly event: 'delivered';
  /** Id of the message, as `POST /emails` returned it. */
  readonly email_id: string;
  /** The email service that sent the message. */
  readonly service_id: string;
  /** The recipient that the event is about. */
  readonly to: string;
  /** The From address of the message. */
  readonly from: string;
  /** The subject of the message. */
  readonly subject: string;
  /** When it happened. `email_id`, `event` and `timestamp` identify a duplicate. */
  readonly timestamp: string;
  /** What depends on the kind of event. */
  readonly data: {
    /** The response of the receiving server. */
    readonly smtp_response: string;
    /** The tags of the message, if it has any. */
    readonly tags?: Readonly<Record<string, string>>;
    /** Present in a test event, which belongs to no message. */
    readonly test?: true;
  };
}

/** The receiving server rejected the message. */
export interface BouncedEvent {
  /** Always `bounced`. */
  readonly event: 'bounced';
  /** Id of the message, as `POST /emails` returned it. */
  readonly email_id: string;
  /** The email service that sent the message. */
  readonly service_id: string;
  /** The recipient that the event is about. */
  readonly to: string;
  /** The From address of the message. */
  readonly from: string;
  /** The subject of the message. */
  readonly subject: string;
  /** When it happened. `email_id`, `event` and `timestamp` identify a duplicate. */
  readonly timestamp: string;
  /** What depends on the kind of event. */
  readonly data: {
    /** `hard`: the address does not exist. `soft`: anything else, such as a full mailbox. */
    readonly bounce_type: 'hard' | 'soft';
    /** Why the message was rejected, as the server states it. */
    readonly reason: string;
    /** The tags of the message, if it has any. */
    readonly tags?: Readonly<Record<string, string>>;
    /** Present in a test event, which belongs to no message. */
    readonly test?: true;
  };
}

/** The recipient marked the message as spam. */
export interface ComplainedEvent {
  /** Always `complained`. */
  readonly event: 'complained';
  /** Id of the message, as `POST /emails` returned it. */
  readonly email_id: string;
  /** The email service that sent the message. */
  readonly service_id: string;
  /** The recipient that the event is about. */
  readonly to: string;
  /** The From address of the message. */
  readonly from: string;
  /** The subject of the message. */
  readonly subject: string;
  /** When it happened. `email_id`, `event` and `timestamp` identify a duplicate. */
  readonly timestamp: string;
  /** What depends on the kind of event. */
  readonly data: {
    /** The type of the feedback report, and who sent it. */
    readonly source: string;
    /** The tags of the message, if it has any. */
    readonly tags?: Readonly<Record<string, string>>;
    /** Present in a test event, which belongs to no message. */
    readonly test?: true;
  };
}

/** The recipient opened the message. */
export interface OpenedEvent {
  /** Always `opened`. */
  readonly event: 'opened';
  /** Id of the message, as `POST /emails` returned it. */
  readonly email_id: string;
  /** The email service that sent the message. */
  readonly service_id: string;
  /** The recipient that the event is about. */
  readonly to: string;
  /** The From address of the message. */
  readonly from: string;
  /** The subject of the message. */
  readonly subject: string;
  /** When it happened. `email_id`, `event` and `timestamp` identify a duplicate. */
  readonly timestamp: string;
  /** What depends on the kind of event. */
  readonly data: {
    /** User agent of the mail program or its proxy. */
    readonly user_agent: string;
    /** Address that loaded the tracking pixel. */
    readonly ip: string;
    /** Present if a program caused the event, such as a link scanner. */
    readonly machine?: true;
    /** Why the event is attributed to a program. */
    readonly machine_reason?: string;
    /** The tags of the message, if it has any. */
    readonly tags?: Readonly<Record<string, string>>;
    /** Present in a test event, which belongs to no message. */
    readonly test?: true;
  };
}

/** The recipient followed a link. */
export interface ClickedEvent {
  /** Always `clicked`. */
  readonly event: 'clicked';
  /** Id of the message, as `POST /emails` returned it. */
  readonly email_id: string;
  /** The email service that sent the message. */
  readonly service_id: string;
  /** The recipient that the event is about. */
  readonly to: string;
  /** The From address of the message. */
  readonly from: string;
  /** The subject of the message. */
  readonly subject: string;
  /** When it happened. `email_id`, `event` and `timestamp` identify a duplicate. */
  readonly timestamp: string;
  /** What depends on the kind of event. */
  readonly data: {
    /** The link that was followed. */
    readonly url: string;
    /** Present if a program caused the event, such as a link scanner. */
    readonly machine?: true;
    /** Why the event is attributed to a program. */
    readonly machine_reason?: string;
    /** The tags of the message, if it has any. */
    readonly tags?: Readonly<Record<string, string>>;
    /** Present in a test event, which belongs to no message. */
    readonly test?: true;
  };
}

export interface SendEmailBody {
  /** Sender: `ada@example.com` or `Ada <ada@example.com>`. In production, its domain must be verified for the email service; otherwise the message is sent from the sandbox sender. */
  readonly from: string;
  /** Recipients. `to`, `cc` and `bcc` together have at most 50 addresses. */
  readonly to: readonly string[];
  /** CC recipients, visible to all recipients. */
  readonly cc?: readonly string[];
  /** BCC recipients, hidden from all other recipients. */
  readonly bcc?: readonly string[];
  /** Addresses in the Reply-To header, which receive replies. */
  readonly reply_to?: readonly string[];
  /** Plain text without line breaks, at most 998 characters. */
  readonly subject?: string;
  /** Extra headers. Names start with `X-`; values have at most 998 characters. At most 50 headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Files, at most 50 with 25 MiB in all. */
  readonly attachments?: ReadonlyArray<{
    /** Name of the file. Path separators and control characters are replaced. */
    readonly filename: string;
    /** The file in base64. */
    readonly content: string;
    /** Media type, such as `application/pdf`. Without it, the ending of the name determines the type. */
    readonly content_type?: string;
    /** Id of an inline image, which the HTML body shows with `<img src="cid:…">`. */
    readonly content_id?: string;
  }>;
  /** Your own data about the message, such as `{"campaign": "spring"}`: in webhooks and in the search, never in the message. At most 20; names match `[a-z][a-z0-9_]{0,39}`, values have at most 256 characters. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Message-ID of the message that this one answers. */
  readonly in_reply_to?: string;
  /** Message-IDs of the earlier messages of the conversation, the oldest first. At most 100. */
  readonly references?: readonly string[];
  /** How to unsubscribe, for the button of mail programs (List-Unsubscribe). Needs `url`, `mailto` or `one_click`. */
  readonly list_unsubscribe?: {
    /** Page to unsubscribe, http or https. */
    readonly url?: string;
    /** Address at which a mail unsubscribes its author. */
    readonly mailto?: string;
    /** Mail programs may unsubscribe with a POST request to `url` (RFC 8058), which must be https. Without `url`, it is a page of Postern, which suppresses the address for such messages of the email service. */
    readonly one_click?: boolean;
  };
  /** Open and click tracking of this message. A link with `data-postern-track="off"` is never tracked. */
  readonly tracking?: {
    /** Instead of the setting of the email service. */
    readonly opens?: boolean;
    /** Instead of the setting of the email service. */
    readonly clicks?: boolean;
  };
  /** Plain-text body. Required if `message` is absent. */
  readonly text?: string;
  /** A stored template instead of `subject`, `message` and `text`. */
  readonly template?: {
    /** Id of the template. Give it or `name`. */
    readonly id?: string;
    /** Name of the template. */
    readonly name?: string;
    /** The latest version if absent. */
    readonly version?: number;
    /** The values of all variables of the template; a missing or unknown variable is an error. */
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  /** HTML body. The text part is derived from it if `text` is absent. */
  readonly message?: string;
}

export interface ScheduleEmailBody {
  /** When to send it, between 1 minute and 30 days from now: `2030-01-31T09:00:00Z`, or with an offset. */
  readonly send_at: string;
  /** The message, as in `POST /emails`. */
  readonly email: SendEmailBody;
}

export interface RescheduleEmailBody {
  /** When to send it, between 1 minute and 30 days from now: `2030-01-31T09:00:00Z`, or with an offset. */
  readonly send_at: string;
}

export interface CreateDatabaseBody {
  /** Name of the database, 1 to 100 characters. */
  readonly name: string;
  /** A relational database or a key-value store. */
  readonly kind: 'relational' | 'key_value';
  /** Name of the plan, which sets the limits. */
  readonly plan?: string;
  /** Major version of PostgreSQL of a relational database, such as `17`. By default, that which the machine of the platform prefers. */
  readonly version?: string;
  /** Creates the database with the data of another one: of its backup, or of a point in time. Kind and version are those of the other one, and the plan stores at least as much. */
  readonly restore_from?: {
    /** Id of a database of the workspace. */
    readonly database_id: string;
    /** Id of one of its completed backups. */
    readonly backup_id?: string;
    /** A time in UTC between `recovery.earliest` and `recovery.latest` of a relational database. */
    readonly target_time?: string;
  };
}

export interface UpdateDatabaseBody {
  /** Whether and from where clients outside of the platform can connect. */
  readonly external_access: {
    /** Whether clients outside of the platform can connect. */
    readonly enabled?: boolean;
    /** IPv4 networks or addresses that may connect, at most 50. `0.0.0.0/0` admits everyone. Required to enable external access. */
    readonly allowed_cidrs?: readonly string[];
  };
}

export interface AttachDatabaseBody {
  /** A web service of the same workspace. */
  readonly web_service_id: string;
  /** `DATABASE_URL` if absent, `REDIS_URL` for a key-value store. */
  readonly variable?: string;
}

export interface EnableDatabaseExtensionBody {
  /** Name of the extension, such as `vector`. */
  readonly name: string;
}

export interface CreateProjectBody {
  /** Name of the project, 1 to 100 characters. */
  readonly name: string;
  /** What the project is for, at most 2,000 characters. */
  readonly description?: string | null;
}

export interface ChangeProjectBody {
  /** Name of the project, 1 to 100 characters. */
  readonly name?: string;
  /** What the project is for, at most 2,000 characters. */
  readonly description?: string | null;
}

export interface SetProjectSecretBody {
  /** Name of the variable that web services get: letters, digits and `_`. */
  readonly key: string;
  /** Value of the secret, at most 64 KiB of UTF-8. */
  readonly value: string;
  /** The environment whose web services get the value. */
  readonly scope: 'production' | 'staging' | 'development';
  /** If absent, an existing secret is unchanged and a new one is secret. */
  readonly is_secret?: boolean;
}

export interface SetProjectSecretsBody {
  /** 1 to 1,000 secrets with different keys in each scope. */
  readonly secrets: readonly SetProjectSecretBody[];
}

export interface CreateWebServiceBody {
  /** Name of the web service, 1 to 100 characters. */
  readonly name: string;
  /** The project of the web service. */
  readonly project_id: string;
  /** The Git repository: `https://`, `http://`, `ssh://` or `git@host:path`. Required without an `image`. */
  readonly git_repository_url?: string | null;
  /** An image of a container registry instead of a `git_repository_url`, such as `ghcr.io/ada/shop:1.4` or `registry.example.com:5000/shop@sha256:…`. A tag is resolved to a digest by each deployment. */
  readonly image?: string | null;
  /** The port of the web service. Instances listen on the port in the variable `PORT`. Required without an `image`; with one, the lowest TCP port that the image exposes if absent or null, or 8080 if it exposes none. */
  readonly port?: number | null;
  /** The branch to deploy; the default branch of the repository if absent. */
  readonly branch?: string | null;
  /** Command that builds the web service. */
  readonly build_command?: string | null;
  /** Command that starts an instance. If absent: the `web` line of a Procfile, the `start` script of package.json, or a static site with an index.html. */
  readonly start_command?: string | null;
  /** Path that returns 2xx or 3xx when an instance is healthy. If absent, the port must accept connections. */
  readonly health_check_path?: string | null;
  /** Minimum number of instances, 1 to 20. */
  readonly min_instances?: number;
  /** Maximum number of instances, at least `min_instances`. */
  readonly max_instances?: number;
  /** Which project secrets the service gets. */
  readonly environment?: 'production' | 'staging' | 'development';
  /** Whether each pull or merge request into the deployed branch gets a web service of its own, with the staging secrets, where there is a deploy hook. It is deleted when the request is closed. False if absent. */
  readonly previews?: boolean;
  /** The folder that is built and started, such as `apps/web`; the root of the repository if absent or null. */
  readonly root_directory?: string | null;
  /** A push deploys only if it changes a file that matches one of these patterns, such as `apps/web/**`; a pattern that begins with `!` excludes files. Paths are relative to the root of the repository. */
  readonly watch_paths?: readonly string[] | null;
  /** The Dockerfile that is built, such as `docker/web.Dockerfile`, relative to the `root_directory`, which is the build context; the file `Dockerfile` if absent or null. */
  readonly dockerfile_path?: string | null;
  /** The stage of the Dockerfile that is built, such as `production`; the last one if absent or null. */
  readonly docker_target?: string | null;
  /** Values of the `ARG` instructions of the Dockerfile, by name; at most 50, each of at most 4,096 characters. `${NAME}` in a value is the variable `NAME` of the web service. Everyone who can read the web service can read these values, and the image may contain them. */
  readonly build_args?: Readonly<Record<string, string>> | null;
  /** When instances are added and removed; the defaults if absent or null. Applies at once. */
  readonly autoscaling?: {
    /** Target for the average CPU usage, in percent of the limit of an instance; 70 if there is no target. */
    readonly cpu_percent?: number | null;
    /** Target for the average memory usage, in percent of the limit of an instance. */
    readonly memory_percent?: number | null;
    /** Target for the requests per second of each instance. */
    readonly requests_per_second?: number | null;
    /** After so many minutes without a request the instances end; the next request starts them, and waits. Never if absent or null. */
    readonly idle_minutes?: number | null;
  } | null;
  /** How instances are checked; the defaults if absent or null. `health_check_path` is the path. */
  readonly health_check?: {
    /** The `Host` header of the requests; the host of the service’s URL if absent or null. */
    readonly host?: string | null;
    /** How long a new instance may take until its first successful check; the release deadline if absent. */
    readonly grace_seconds?: number;
    /** Seconds between two checks; 3 if absent. */
    readonly interval_seconds?: number;
    /** Seconds that a check may take; 5 if absent. */
    readonly timeout_seconds?: number;
    /** Consecutive failed checks until an instance gets no more requests; 3 if absent. */
    readonly threshold?: number;
  } | null;
  /** How long the first byte of a response may take, 1 to 3,600 seconds; the limit of the installation if absent or null. */
  readonly first_byte_timeout_seconds?: number | null;
}

export interface ChangeWebServiceBody {
  /** Name of the web service, 1 to 100 characters. */
  readonly name?: string;
  /** The Git repository: `https://`, `http://`, `ssh://` or `git@host:path`. Replaces an `image`. */
  readonly git_repository_url?: string | null;
  /** An image of a container registry. Replaces the `git_repository_url`, and removes the settings of its build: `branch`, `build_command`, `root_directory`, `watch_paths`, `dockerfile_path`, `docker_target` and `build_args`. */
  readonly image?: string | null;
  /** The branch to deploy; null for the default branch of the repository. */
  readonly branch?: string | null;
  /** Command that builds the web service; null for none. */
  readonly build_command?: string | null;
  /** Command that starts an instance; null for the default. */
  readonly start_command?: string | null;
  /** Runs once with each new build, before its instances start; null for none. */
  readonly release_command?: string | null;
  /** Path that returns 2xx or 3xx when an instance is healthy; null for none. */
  readonly health_check_path?: string | null;
  /** The port of the web service; null for the port that its `image` exposes. */
  readonly port?: number | null;
  /** Minimum number of instances, 1 to 20. */
  readonly min_instances?: number;
  /** Maximum number of instances, at least `min_instances`. */
  readonly max_instances?: number;
  /** Which project secrets the service gets. */
  readonly environment?: 'production' | 'staging' | 'development';
  /** The limits of each instance; null for the default. */
  readonly instance?: {
    /** Memory limit of an instance in MiB. */
    readonly memory_mib: number;
    /** CPU limit of an instance in millicores; 1,000 are one core. */
    readonly cpu_millicores: number;
  } | null;
  /** Seconds that requests may take to finish, 1 to 300; null for the default. */
  readonly drain_seconds?: number | null;
  /** The number of processes of each other process type of the Procfile, by name. */
  readonly processes?: Readonly<Record<string, number>>;
  /** Needs `max_instances` 1. Null detaches the disk; its files are kept until the web service is deleted. */
  readonly disk?: {
    /** The size of the disk in MiB. It can only grow. */
    readonly size_mib: number;
  } | null;
  /** Whether a push deploys, where there is a deploy hook. */
  readonly auto_deploy?: boolean;
  /** Whether each pull or merge request into the deployed branch gets a web service of its own, with the staging secrets, where there is a deploy hook. It is deleted when the request is closed. False if absent. */
  readonly previews?: boolean;
  /** The folder that is built and started, such as `apps/web`; the root of the repository if absent or null. */
  readonly root_directory?: string | null;
  /** A push deploys only if it changes a file that matches one of these patterns, such as `apps/web/**`; a pattern that begins with `!` excludes files. Paths are relative to the root of the repository. */
  readonly watch_paths?: readonly string[] | null;
  /** The Dockerfile that is built, such as `docker/web.Dockerfile`, relative to the `root_directory`, which is the build context; the file `Dockerfile` if absent or null. */
  readonly dockerfile_path?: string | null;
  /** The stage of the Dockerfile that is built, such as `production`; the last one if absent or null. */
  readonly docker_target?: string | null;
  /** Values of the `ARG` instructions of the Dockerfile, by name; at most 50, each of at most 4,096 characters. `${NAME}` in a value is the variable `NAME` of the web service. Everyone who can read the web service can read these values, and the image may contain them. */
  readonly build_args?: Readonly<Record<string, string>> | null;
  /** When instances are added and removed; the defaults if absent or null. Applies at once. */
  readonly autoscaling?: {
    /** Target for the average CPU usage, in percent of the limit of an instance; 70 if there is no target. */
    readonly cpu_percent?: number | null;
    /** Target for the average memory usage, in percent of the limit of an instance. */
    readonly memory_percent?: number | null;
    /** Target for the requests per second of each instance. */
    readonly requests_per_second?: number | null;
    /** After so many minutes without a request the instances end; the next request starts them, and waits. Never if absent or null. */
    readonly idle_minutes?: number | null;
  } | null;
  /** How instances are checked; the defaults if absent or null. `health_check_path` is the path. */
  readonly health_check?: {
    /** The `Host` header of the requests; the host of the service’s URL if absent or null. */
    readonly host?: string | null;
    /** How long a new instance may take until its first successful check; the release deadline if absent. */
    readonly grace_seconds?: number;
    /** Seconds between two checks; 3 if absent. */
    readonly interval_seconds?: number;
    /** Seconds that a check may take; 5 if absent. */
    readonly timeout_seconds?: number;
    /** Consecutive failed checks until an instance gets no more requests; 3 if absent. */
    readonly threshold?: number;
  } | null;
  /** How long the first byte of a response may take, 1 to 3,600 seconds; the limit of the installation if absent or null. */
  readonly first_byte_timeout_seconds?: number | null;
}

export interface CreateCronJobBody {
  /** Name of the cron job: 1 to 40 lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Minute, hour, day of month, month and day of week, in the time zone. */
  readonly schedule: string;
  /** IANA time zone of the schedule, such as Europe/Berlin; summer time is followed. */
  readonly time_zone?: string;
  /** For a shell; stored as it is. */
  readonly command: string;
  /** A run that takes longer is stopped and fails; at most one hour. */
  readonly time_limit_seconds?: number;
  /** What happens if a run is still in progress at the next scheduled time: the new run is skipped, it replaces the current one, or both run. */
  readonly overlap?: 'skip' | 'replace' | 'allow';
  /** Whether the job is enabled. */
  readonly enabled?: boolean;
}

export interface ChangeCronJobBody {
  /** Name of the cron job: 1 to 40 lower-case letters, digits and hyphens. */
  readonly name?: string;
  /** Minute, hour, day of month, month and day of week, in the time zone. */
  readonly schedule?: string;
  /** IANA time zone of the schedule, such as Europe/Berlin. */
  readonly time_zone?: string;
  /** For a shell; stored as it is. */
  readonly command?: string;
  /** What happens if a run is still in progress at the next scheduled time: the new run is skipped, it replaces the current one, or both run. */
  readonly overlap?: 'skip' | 'replace' | 'allow';
  /** At most one hour. */
  readonly time_limit_seconds?: number;
  /** Whether the job is enabled. */
  readonly enabled?: boolean;
}

export interface CreateDeploymentBody {
  /** The branch whose newest commit is deployed; the configured branch if absent or null. */
  readonly branch?: string | null;
  /** Whether the build starts without the packages that earlier builds have downloaded. */
  readonly clear_cache?: boolean;
  /** An earlier deployment whose source was uploaded: the same archive is built again. The last three uploads are kept. Not together with `branch`. */
  readonly upload_of?: string | null;
}

export interface AddCustomDomainBody {
  /** A host name such as shop.example.com. */
  readonly domain: string;
}

export interface SetVariableBody {
  /** Name of the variable: letters, digits and `_`, at most 255 characters. */
  readonly key: string;
  /** Value of the variable, at most 64 KiB of UTF-8. */
  readonly value: string;
  /** If absent, an existing variable is unchanged and a new one is not secret. */
  readonly is_secret?: boolean;
}

export interface SetVariablesBody {
  /** 1 to 1,000 variables with different keys. */
  readonly variables: readonly SetVariableBody[];
}

export interface SetSecretFilesBody {
  /** 1 to 50 files with different paths. */
  readonly files: ReadonlyArray<{
    /** The path of the file below `/etc/secrets`, such as `google.json`. */
    readonly path: string;
    /** The content of the file. */
    readonly content: string;
    /** How `content` is encoded: `base64` for a file that is no text. */
    readonly encoding?: 'utf8' | 'base64';
  }>;
}

export interface SetGitTokenBody {
  /** The user name that the Git host expects beside the token; most accept any. */
  readonly username?: string;
  /** A token that may read the repository. */
  readonly token: string;
}

export interface CreateLogDrainBody {
  /** How lines are sent. */
  readonly kind: 'syslog' | 'https' | 'otlp';
  /** `https://…`; for `syslog` `syslog+tls://host:port`, with the port 6514 by default. */
  readonly url: string;
  /** Headers of each request. Write-only; not for `syslog`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`. Write-only; not for `syslog`. */
  readonly token?: string;
}

export interface ChangeLogDrainBody {
  /** Whether lines are sent. */
  readonly enabled: boolean;
}

export interface SetRegistryCredentialsBody {
  /** The user name at the registry. */
  readonly username: string;
  /** A password or access token that may pull the image. */
  readonly password: string;
}

export interface CreateRunBody {
  /** For a shell; stored as it is. */
  readonly command: string;
}

/** An event that a webhook receives; `event` tells the kinds apart. */
export type WebhookEvent = DeliveredEvent | BouncedEvent | ComplainedEvent | OpenedEvent | ClickedEvent;
