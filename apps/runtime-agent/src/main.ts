import { runService } from '@postern/service-host';
import { config } from './config.js';
import { RuntimeAgentModule } from './runtime-agent.module.js';

// Builds and web services run as other users and enter folders made here, whatever mask the service manager set.
process.umask(0o022);
await runService({ name: 'runtime-agent', config, module: RuntimeAgentModule, concurrency: 1_024 });
