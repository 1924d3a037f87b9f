import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RequestClient } from '@postern/messaging';
import { DatabaseBackups, DatabaseExtensions, DatabaseRuntime, DatabaseStorage, Runtime } from '@postern/runtime';
import { ServiceLog } from '@postern/service-host';
import { RemoteDatabaseRuntime } from './remote-database-runtime.js';
import { RemoteRuntime } from './remote-runtime.js';
import { RuntimeAgent } from './runtime-agent.js';

/** Aborts orders that wait for the agent at shutdown. */
@Injectable()
class RuntimeAgentShutdown implements OnApplicationShutdown {
  constructor(private readonly agent: RuntimeAgent) {}

  onApplicationShutdown(): void {
    this.agent.close();
  }
}

/** The runtime of web services and databases: the runtime agent, over NATS. */
@Module({
  providers: [
    {
      provide: RuntimeAgent,
      inject: [RequestClient, ServiceLog],
      useFactory: (requests: RequestClient, log: ServiceLog) => {
        let wasReachable = true;
        return new RuntimeAgent(requests, isReachable => {
          if (wasReachable && !isReachable)
            log.warn({}, 'The runtime agent does not respond; builds and releases wait for it');
          if (!wasReachable && isReachable) log.info({}, 'The runtime agent responds again');
          wasReachable = isReachable;
        });
      },
    },
    {
      provide: Runtime,
      inject: [RuntimeAgent, ServiceLog],
      useFactory: (agent: RuntimeAgent, log: ServiceLog) =>
        new RemoteRuntime(agent, err =>
          log.warn({ err }, 'Lines of a web service were lost: the agent did not accept them'),
        ),
    },
    {
      provide: RemoteDatabaseRuntime,
      inject: [RuntimeAgent],
      useFactory: (agent: RuntimeAgent) => new RemoteDatabaseRuntime(agent),
    },
    { provide: DatabaseRuntime, useExisting: RemoteDatabaseRuntime },
    { provide: DatabaseStorage, useExisting: RemoteDatabaseRuntime },
    { provide: DatabaseBackups, useExisting: RemoteDatabaseRuntime },
    { provide: DatabaseExtensions, useExisting: RemoteDatabaseRuntime },
    RuntimeAgentShutdown,
  ],
  exports: [Runtime, DatabaseRuntime, DatabaseStorage, DatabaseBackups, DatabaseExtensions],
})
export class RuntimeModule {}
