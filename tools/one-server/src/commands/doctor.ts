import { planOf } from '../applying/plan.js';
import { diskFinding, serverFindings } from '../checking/server-findings.js';
import { succeeds } from '../machine/run.js';
import { checked, showFindings } from '../preflight/finding.js';
import { administer } from './administration.js';

type Print = (line: string) => void;

/** `doctor [--no-mail]`: checks this machine, then everything that the services depend on. @returns whether nothing failed. */
export const doctor = async (options: { readonly mail: boolean }, print: Print): Promise<boolean> => {
  const disk = await checked('disk', async () => diskFinding());
  print('This server');
  let failed = showFindings([disk], print);
  failed += showFindings(await serverFindings(await planOf()), print);
  print('');
  const inside = (await succeeds('systemctl', ['is-active', '--quiet', 'postern-nats.service']))
    ? await administer(['doctor', ...(options.mail ? [] : ['--no-mail'])])
    : false;
  print(failed === 0 && inside ? 'This server: 0 failed.' : `This server: ${failed} failed.`);
  return failed === 0 && inside;
};
