# frozen_string_literal: true

# Carries out one call of the conformance tests: JSON from the standard input, its outcome to the standard output.
require 'json'
require 'postern'

ASKED = JSON.parse($stdin.read)

def carried_out
  call = ASKED['call']
  if call == 'verify'
    return Postern::Webhook.verify(
      body: ASKED['body'], headers: ASKED['headers'], secret: ASKED['secrets'], now: Time.at(ASKED['now'])
    )
  end
  names = { 'timeout_s' => :timeout, 'max_retries' => :max_retries, 'max_retry_after_s' => :max_retry_after }
  options = ASKED.fetch('options', {}).transform_keys(names)
  client = Postern::Client.new(ASKED.fetch('key', 'em_live_key'), base_url: ASKED['url'], **options)
  key = ASKED['idempotency_key']
  case call
  when 'send' then client.send_email(ASKED['email'], idempotency_key: key)
  when 'batch' then client.send_batch(ASKED['emails'], idempotency_key: key)
  when 'get' then client.email(ASKED['id'])
  when 'attach' then client.send_email(ASKED['email'].merge(attachments: [Postern.attachment(ASKED['path'])]))
  else client.schedule(Time.iso8601(ASKED['send_at']), ASKED['email'], idempotency_key: key)
  end
end

outcome =
  begin
    { reply: carried_out }
  rescue Postern::ApiError => e
    {
      error: 'api', message: e.message, status: e.status, code: e.code, request_id: e.request_id,
      retry_after: e.retry_after, email_id: e.email_id
    }
  rescue Postern::WebhookVerificationError => e
    { error: 'webhook', reason: e.reason }
  rescue Postern::ConnectionError
    { error: 'connection' }
  rescue Postern::Error => e
    { error: 'usage', message: e.message }
  end
puts JSON.generate(outcome)
