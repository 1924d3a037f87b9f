/** What somebody asks in the first hour with Postern: the words to search for, each with the page that answers it. */
export interface FirstQuestion {
  readonly question: string;
  readonly answers: Readonly<Record<string, string>>;
}

export const FIRST_QUESTIONS: readonly FirstQuestion[] = [
  {
    question: 'What is it, and what is it not for?',
    answers: { 'what is postern': 'index', newsletter: 'not-supported' },
  },
  {
    question: 'Which operating system, and how much memory, CPU and disk?',
    answers: {
      requirements: 'local-start',
      'operating system': 'local-start',
      'memory disk': 'local-start',
      macos: 'not-supported',
    },
  },
  {
    question: 'How long does npm start take the first time?',
    answers: { 'how long does npm start take': 'local-start', 'npm start first time': 'local-start' },
  },
  { question: 'How do I sign in?', answers: { 'sign in': 'command', 'first password': 'local-start' } },
  {
    question: 'How do I send the first mail from my language?',
    answers: {
      'send first email': 'email/quick-start',
      php: 'email/libraries',
      'python send email': 'email/quick-start',
    },
  },
  {
    question: 'How do I install the library and the command?',
    answers: { 'npm install sdk': 'email/sdk', 'install command': 'command' },
  },
  {
    question: 'Is there a guide for my framework?',
    answers: {
      'next.js': 'email/frameworks',
      rails: 'email/frameworks',
      laravel: 'email/frameworks',
      django: 'email/frameworks',
    },
  },
  { question: 'Can I send attachments?', answers: { attachment: 'email/sending' } },
  {
    question: 'Are there templates, batches, scheduling, inbound mail and unsubscribe headers?',
    answers: {
      template: 'email/templates',
      batch: 'email/sending',
      schedule: 'email/sending',
      inbound: 'not-supported',
      unsubscribe: 'email/sending',
    },
  },
  {
    question: 'How do I find the order that an event belongs to?',
    answers: { tags: 'email/sending', metadata: 'email/sending' },
  },
  {
    question: 'How do I list the messages of one key?',
    answers: {
      'list messages': 'email/sending',
      'messages of one key': 'email/sending',
      'requests by key': 'email/requests',
    },
  },
  {
    question: 'Why did my mail come from the sandbox sender?',
    answers: { 'sandbox sender': 'email/sandbox', 'wrong sender domain': 'email/sandbox' },
  },
  {
    question: 'How do I set up my domain, which has an SPF record?',
    answers: { 'existing spf record': 'email/domains', dkim: 'email/domains', 'tracking domain': 'email/domains' },
  },
  {
    question: 'How do I test webhooks on my machine?',
    answers: { 'test webhooks locally': 'command', 'webhooks listen': 'command' },
  },
  {
    question: 'How do I verify a webhook in Express?',
    answers: { 'verify express': 'email/verify-webhooks', signature: 'email/verify-webhooks' },
  },
  {
    question: 'Is there a library for Go, PHP, Ruby or Java?',
    answers: { 'library go': 'email/libraries', 'ruby library': 'email/libraries', java: 'not-supported' },
  },
  {
    question: 'Which limits apply, and when do I retry?',
    answers: { 'rate limit': 'email/limits', idempotency: 'email/retries', retry: 'email/retries' },
  },
  {
    question: 'How long are bodies, messages and logs kept?',
    answers: { 'how long are bodies kept': 'account', retention: 'account' },
  },
  {
    question: 'Where do I see my rejected requests?',
    answers: { 'rejected requests': 'email/requests', 'request id': 'email/requests' },
  },
  { question: 'Which relay do I need?', answers: { relay: 'operations', 'amazon ses': 'email/providers' } },
  {
    question: 'How do I install it on a server, with Docker or on Kubernetes?',
    answers: { 'install vps': 'install', 'docker compose': 'compose', helm: 'kubernetes' },
  },
  {
    question: 'How do I deploy a private repository?',
    answers: {
      'private repository github': 'platform/private-repositories',
      'deploy key': 'platform/private-repositories',
    },
  },
  {
    question: 'Can I deploy an image without Git?',
    answers: { 'container image': 'platform/images', 'docker registry': 'platform/images' },
  },
  {
    question: 'How does my own domain get HTTPS?',
    answers: { 'https custom domain': 'platform/domains', certificate: 'platform/domains' },
  },
  { question: 'Where do I get a session token?', answers: { 'session token': 'account', session_token: 'account' } },
  {
    question: 'How do I connect to a database, and from my laptop?',
    answers: { 'database from my laptop': 'platform/databases', 'connect database': 'platform/databases' },
  },
  {
    question: 'Are there staging and preview environments?',
    answers: { 'preview environment': 'platform/previews', staging: 'platform/environment' },
  },
  {
    question: 'How do I deploy from GitHub Actions or another CI?',
    answers: { 'github actions': 'platform/ci', 'deploy from ci': 'platform/ci' },
  },
  {
    question:
      'How do I invite my team, and what about roles, two-factor authentication, notifications and the audit log?',
    answers: {
      'invite a member': 'account',
      roles: 'account',
      '2fa': 'account',
      slack: 'account',
      'audit log': 'account',
    },
  },
  {
    question: 'How do I upgrade, and what has changed?',
    answers: { upgrade: 'install', changelog: 'releases' },
  },
  {
    question: 'Which other questions did users have?',
    answers: { 'log drain': 'platform/log-drains', 'point in time': 'install' },
  },
];
