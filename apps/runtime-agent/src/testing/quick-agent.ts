import { runService } from '@postern/service-host';
import { config } from '../config.js';
import { QUICK } from '../local-runtime/testing/quick-times.js';
import { RuntimeAgentModule } from '../runtime-agent.module.js';

/** Runs the runtime agent as a process, with times that are short enough for tests. */
process.umask(0o022);
await runService({
  name: 'runtime-agent',
  config: {
    shape: config.shape,
    read: environment => ({ ...config.read(environment), times: QUICK, minimumAgeMs: 0 }),
  },
  module: RuntimeAgentModule,
});
