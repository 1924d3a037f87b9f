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

/** Invalid values, and the text that the error has to contain. @type {[string, string[], RegExp][]} */
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
  ['a secret without its key', [...emailSend, '--set', 'secrets.POSTERN_NATS_TOKEN.name=x'], /missing property 'key'/],
  [
    'a variable in lower case',
    [...emailSend, '--set', 'env.postern_log_level=debug'],
    /'postern_log_level' not allowed/,
  ],
  [
    'a setting that the service does not know',
    [...emailSend, '--set', 'env.POSTERN_RELAYZ=smtp://h'],
    /\/env.*POSTERN_RELAYZ/,
  ],
  [
    'a setting of another service',
    [...emailSend, '--set', 'env.POSTERN_BOUNCE_SMTP_PORT=25'],
    /\/env.*POSTERN_BOUNCE_SMTP_PORT/,
  ],
  [
    'a setting that the service of the whole does not know',
    [...whole, '--set', 'email-send.env.POSTERN_RELAYZ=x'],
    /email-send:\n.*\/env.*POSTERN_RELAYZ/s,
  ],
  [
    'a variable that the chart sets itself',
    [...emailSend, '--set', 'env.POSTERN_HTTP_PORT=9091'],
    /\/env.*POSTERN_HTTP_PORT/,
  ],
  [
    'a secret setting that the service does not know',
    [...emailSend, '--set', 'secrets.POSTERN_RELAYZ.name=x,secrets.POSTERN_RELAYZ.key=y'],
    /\/secrets.*POSTERN_RELAYZ/,
  ],
  [
    'a text where a setting is a number',
    [...emailSend, '--set', 'env.POSTERN_DATABASE_POOL_SIZE=abc'],
    /\/env\/POSTERN_DATABASE_POOL_SIZE/,
  ],
  [
    'a number beyond the limits of a setting',
    [...emailSend, '--set', 'env.POSTERN_DATABASE_POOL_SIZE=1'],
    /\/env\/POSTERN_DATABASE_POOL_SIZE.*minimum/s,
  ],
  [
    'a value that a setting does not have',
    [...emailSend, '--set', 'env.POSTERN_LOG_LEVEL=loud'],
    /\/env\/POSTERN_LOG_LEVEL.*'debug'/s,
  ],
  [
    'a text where a setting is a flag',
    [...emailSend, '--set', 'env.POSTERN_RELAY_IS_FINAL=perhaps'],
    /\/env\/POSTERN_RELAY_IS_FINAL/,
  ],
  [
    'images without a registry',
    [...whole, '--set', 'global.image.registry='],
    /global.image.registry names the registry/,
  ],
  [
    'images of one service without a registry',
    [...emailSend, '--set', 'global.image.registry='],
    /global.image.registry names the registry/,
  ],
  ['an image of no release', [...emailSend, '--set', 'global.image.tag='], /image.tag names the release of email-send/],
  [
    'an image whose name has no registry either',
    [...emailSend, '--set', 'global.image.registry=,image.repository=postern/email-send'],
    /global.image.registry names the registry/,
  ],
  [
    'images of web services without a registry',
    [
      ...alone('runtime-agent'),
      '--set',
      'global.image.registry=,image.repository=registry.example.com/postern/runtime-agent',
    ],
    /global.image.registry names the registry/,
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
    'two processes where one runs',
    [...alone('runtime-agent'), '--set', 'replicas=2'],
    /runtime-agent runs as one process/,
  ],
  [
    'a right to everything',
    [
      ...alone('runtime-agent'),
      '--set',
      'rbac.rules[0].apiGroups={apps},rbac.rules[0].resources={*},rbac.rules[0].verbs={get}',
    ],
    /\/rbac\/rules\/0\/resources/,
  ],
  [
    "tenants among Postern's own Secrets",
    [...whole, '--set', 'global.tenantNamespace=postern'],
    /runtime-agent may not have these rights in postern/,
  ],
];

/** Valid values that may look wrong. @type {[string, string[]][]} */
const RIGHT = [
  ['a number as text', [...emailSend, '--set-string', 'env.POSTERN_DATABASE_POOL_SIZE=20']],
  ['a setting from a template', [...emailSend, '--set', 'env.POSTERN_DATABASE_POOL_SIZE=\\{\\{ 20 \\}\\}']],
  ['a setting that is not set after all', [...emailSend, '--set-string', 'env.POSTERN_RELAY_IS_FINAL=']],
  ['a variable of Node.js', [...emailSend, '--set', 'env.NODE_EXTRA_CA_CERTS=/etc/ca.pem']],
  [
    'an image by its digest alone',
    [...emailSend, '--set', `global.image.tag=,image.digest=sha256:${'0123456789abcdef'.repeat(4)}`],
  ],
  [
    'an image that names its registry itself',
    [...emailSend, '--set', 'global.image.registry=,image.repository=localhost:5000/email-send'],
  ],
];

describe('The charts accept', () => {
  for (const [what, args] of RIGHT) {
    it(what, () => {
      render(args);
    });
  }
});

describe('The charts reject', () => {
  for (const [what, args, details] of WRONG) {
    it(what, () => {
      assert.match(refusal(args), details);
    });
  }
});
