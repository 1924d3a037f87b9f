import { runService } from '../run-service.js';
import { greeter } from './greeter.js';

await runService(greeter);
