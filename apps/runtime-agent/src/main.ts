import { runService } from '@postern/service-host';
import { config } from './config.js';
import { RuntimeAgentModule } from './runtime-agent.module.js';

// Builds and web services run as other users and have to enter folders that this process creates, so it sets its own umask.
process.umask(0o022);
await runService({ name: 'runtime-agent', config, module: RuntimeAgentModule, concurrency: 1_024 });
