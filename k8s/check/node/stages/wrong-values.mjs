import { demand } from '../../../../docker/check/report.mjs';
import { trial } from '../../helm.mjs';
import { helmIn } from '../helm.mjs';
import { TRIAL_SETTINGS } from './install.mjs';

export const name = 'wrong-values';
export const title = 'upgrades with wrong values fail, and what runs keeps running';

const upgrade = (context, ...settings) => helmIn(context, 'upgrade', ...trial, ...TRIAL_SETTINGS, ...settings);

const failureOf = work =>
  work.then(
    () => '',
    error => String(error.stderr ?? error),
  );

const serves = async ({ state }, after) => {
  const answer = await state.sender.send(`After ${after}`);
  demand(`after ${after}, messages are sent`, answer.status === 200, answer.text);
};

export const run = async context => {
  const before = await helmIn(context, 'history', 'postern', '--namespace', 'postern', '--output', 'json');

  const timeout = ['--wait', '--timeout', '60s'];
  const absent = await failureOf(upgrade(context, '--set', 'email-send.image.tag=9.9.9', ...timeout));
  demand('an image that no registry has fails the migration first', /hook/.test(absent), absent.slice(0, 500));
  await serves(context, 'an image that is not there');

  const mistaken = await failureOf(
    upgrade(context, '--set', 'api-gateway.secrets.POSTERN_LINK_SECRETS.name=absent', ...timeout, '--atomic'),
  );
  demand(
    'a Secret that is not there fails the upgrade, which --atomic takes back',
    /rolled back/.test(mistaken),
    mistaken.slice(0, 500),
  );
  await serves(context, 'a Secret that is not there');

  await upgrade(context, '--wait', '--timeout', '4m');
  const after = await helmIn(context, 'history', 'postern', '--namespace', 'postern', '--output', 'json');
  const revision = text => JSON.parse(text).at(-1);
  demand(
    'the next upgrade with right values passes',
    revision(after).status === 'deployed' && revision(after).revision > revision(before).revision,
    after,
  );
  await serves(context, 'all of them');
};
