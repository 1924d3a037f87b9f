import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, render, whole } from './helm.mjs';

const refusal = args => {
  try {
    render(args);
  } catch (error) {
    return error.stderr;
  }
  return assert.fail(`accepted: ${args.join(' ')}`);
};

const NATS = 'global.nats.servers=nats://nats.messaging:4222';
const emailSend = alone('email-send');

/** What is wrong, and where the refusal has to point. */
const WRONG = [
  ['a misspelt key', [...emailSend, '--set', 'replicaCount=3'], /'replicaCount' not allowed/],
  ['a misspelt key inside', [...emailSend, '--set', 'autoscaling.max=3'], /\/autoscaling.*'max' not allowed/],
  ['a misspelt key of a service of the whole', [...whole, '--set', 'email-send.replica=3'], /email-send:\n.*'replica'/],
  ['a service that there is not', [...emailSend, '--set', 'app=email-sends'], /\/app/],
  ['a number where a text stands for none', [...emailSend, '--set-string', 'replicas=three'], /\/replicas/],
  ['a negative number of processes', [...emailSend, '--set', 'replicas=-1'], /\/replicas/],
  [
    'an autoscaler whose bounds cross',
    [...emailSend, '--set', 'autoscaling.maxReplicas=1'],
    /smaller than autoscaling.minReplicas/,
  ],
  [
    'memory in a unit that there is not',
    [...emailSend, '--set', 'resources.limits.memory=512MB'],
    /\/resources\/limits\/memory/,
  ],
  ['an image tag with a blank', [...emailSend, '--set', 'image.tag=1.0 beta'], /\/image\/tag/],
  ['a digest that is none', [...emailSend, '--set', 'image.digest=sha256:abc'], /\/image\/digest/],
  ['a pull policy that there is not', [...emailSend, '--set', 'image.pullPolicy=Sometimes'], /\/image\/pullPolicy/],
  ['a privileged port', [...emailSend, '--set', 'operatorPort=80'], /\/operatorPort/],
  ['a secret written out', [...emailSend, '--set', 'secrets.POSTERN_RELAYS=smtp://u:p@h'], /\/secrets\/POSTERN_RELAYS/],
  ['a secret without its key', [...emailSend, '--set', 'secrets.POSTERN_NEW.name=x'], /missing property 'key'/],
  [
    'a variable in lower case',
    [...emailSend, '--set', 'env.postern_log_level=debug'],
    /'postern_log_level' not allowed/,
  ],
  ['an address that is no URL', [...whole, '--set', 'global.publicUrl=mail.example.com'], /\/global\/publicUrl/],
  ['a domain that is none', [...whole, '--set', 'global.bounceDomain=bounces'], /\/global\/bounceDomain/],
  ['NATS by another protocol', [...whole, '--set', 'global.nats.servers=http://nats:4222'], /\/global\/nats\/servers/],
  ['more traces than there are', [...whole, '--set', 'global.tracing.ratio=10'], /\/global\/tracing\/ratio/],
  ['no NATS at all', [...whole, '--set', 'global.nats.servers='], /\/global.*oneOf/s],
  ['no NATS at all for one service', [...emailSend, '--set', 'global.nats.servers='], /names the NATS servers/],
  ['two kinds of NATS', [...whole, '--set', `${NATS},global.trial.nats=true`], /\/global.*oneOf/s],
  ['a trial without a relay', [...whole, '--set', 'global.trial.secrets=true'], /trial.relays names the SMTP relay/],
  ['a public URL left out', [...emailSend, '--set', 'global.publicUrl='], /global.publicUrl is the base URL/],
  ['a host with a path', [...alone('api-gateway'), '--set', 'ingress.hosts={a.example/x}'], /\/ingress\/hosts\/0/],
  ['a route to no host', [...alone('api-gateway'), '--set', 'ingress.enabled=true'], /must name at least one host/],
  ['a route to no Gateway', [...alone('api-gateway'), '--set', 'httpRoute.enabled=true'], /must name the Gateway/],
  [
    'a route to a service that faces nobody',
    [...emailSend, '--set', 'ingress.enabled=true,ingress.hosts={mail.example.com}'],
    /no public port/,
  ],
  [
    'a right to everything',
    [
      ...alone('platform-management'),
      '--set',
      'rbac.rules[0].apiGroups={apps},rbac.rules[0].resources={*},rbac.rules[0].verbs={get}',
    ],
    /\/rbac\/rules\/0\/resources/,
  ],
  [
    "tenants among Postern's own Secrets",
    [...whole, '--set', 'global.tenantNamespace=postern'],
    /platform-management may not have these rights in postern/,
  ],
];

describe('The charts refuse at once', () => {
  for (const [what, args, words] of WRONG) {
    it(what, () => {
      assert.match(refusal(args), words);
    });
  }
});
