# frozen_string_literal: true

require 'base64'
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'time'
require 'uri'

module Postern
  # An entry of `attachments` from a file, or from `content` with a `filename`. `content_id` makes an inline image (`cid:`).
  def self.attachment(path = nil, filename: nil, content: nil, content_type: nil, content_id: nil)
    if path
      content = File.binread(path)
      filename ||= File.basename(path)
    end
    raise Error, 'An attachment needs a path, or a filename and its content.' unless content && filename

    { filename: filename, content: Base64.strict_encode64(content), content_type: content_type, content_id: content_id }
      .compact
  end

  # A client with the key of an email service (`em_live_…`).
  class Client
    LISTS = %w[to cc bcc reply_to].freeze
    FIRST_DELAY_S = 1.0
    JITTER = 0.2
    # What Net::HTTP raises when no response arrives.
    LOST = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
            Net::HTTPBadResponse, JSON::ParserError].freeze
    METHODS = { get: Net::HTTP::Get, post: Net::HTTP::Post, patch: Net::HTTP::Patch, delete: Net::HTTP::Delete }.freeze
    private_constant :LISTS, :FIRST_DELAY_S, :JITTER, :LOST, :METHODS

    # `timeout` limits one attempt, in seconds; a request is repeated at most `max_retries` times, and a Retry-After of
    # more than `max_retry_after` seconds ends the attempts.
    def initialize(api_key, base_url:, timeout: 60, max_retries: 4, max_retry_after: 60)
      if api_key.to_s.empty?
        raise Error, 'The key is missing. Is the environment variable set, such as POSTERN_EMAIL_KEY?'
      end
      unless base_url.to_s.match?(%r{\Ahttps?://[^\s/]}i)
        raise Error, "base_url must be a URL such as https://postern.example.com, not #{base_url.inspect}."
      end

      @api_key = api_key
      @base_url = base_url.sub(%r{/+\z}, '')
      @timeout = timeout
      @max_retries = max_retries
      @max_retry_after = max_retry_after
    end

    # Sends one message; `to`, `cc`, `bcc` and `reply_to` may be one address. Retries never send it twice.
    # @return [Hash] the record of the message
    def send_email(email, idempotency_key: nil)
      call(:post, '/emails', body_of(email), idempotency_key)
    end

    # Sends 1 to 100 messages; returns the outcome of each, in order.
    def send_batch(emails, idempotency_key: nil)
      call(:post, '/emails/batch', emails.map { |email| body_of(email) }, idempotency_key)
    end

    # The record of a message of this email service.
    def email(id)
      call(:get, path_of('/emails', id))
    end

    # Schedules a message for a Time between 1 minute and 30 days from now.
    def schedule(send_at, email, idempotency_key: nil)
      call(:post, '/scheduled-emails', { send_at: text_of(send_at), email: body_of(email) }, idempotency_key)
    end

    # A scheduled message.
    def scheduled_email(id)
      call(:get, path_of('/scheduled-emails', id))
    end

    # Changes the time of a message that waits.
    def reschedule(id, send_at, idempotency_key: nil)
      call(:patch, path_of('/scheduled-emails', id), { send_at: text_of(send_at) }, idempotency_key)
    end

    # Cancels a message that waits.
    def cancel(id, idempotency_key: nil)
      call(:delete, path_of('/scheduled-emails', id), nil, idempotency_key)
    end

    # The key does not appear in logs.
    def inspect
      "#<#{self.class} #{@base_url}>"
    end

    private

    def call(method, path, body = nil, idempotency_key = nil)
      # All attempts use one key, under which the request is carried out once.
      key = idempotency_key || SecureRandom.uuid
      data = body && JSON.generate(body)
      lost = false
      retries = 0
      begin
        attempt(method, path, data, key)
      rescue ApiError, ConnectionError => e
        delay = delay_before_retry(e, retries, lost)
        raise unless delay

        lost ||= !e.is_a?(ApiError) || e.status >= 500
        retries += 1
        sleep(delay)
        retry
      end
    end

    def attempt(method, path, data, key)
      uri = URI(@base_url + path)
      request = METHODS.fetch(method).new(uri, headers(method, data, key))
      request.body = data if data
      # Net::HTTP repeats a request by itself unless max_retries is 0.
      options = { use_ssl: uri.scheme == 'https', open_timeout: @timeout, read_timeout: @timeout, max_retries: 0 }
      response = Timeout.timeout(@timeout) { Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) } }
      raise ApiError.of(response) unless response.is_a?(Net::HTTPSuccess)

      JSON.parse(response.body)
    rescue *LOST => e
      raise ConnectionError, "#{method.to_s.upcase} #{path} got no response: #{e.message}"
    end

    def headers(method, data, key)
      {
        'api-key' => @api_key,
        'accept' => 'application/json',
        'user-agent' => 'postern-ruby/0.1.0',
        'content-type' => (data && 'application/json'),
        'idempotency-key' => (key unless method == :get)
      }.compact
    end

    def delay_before_retry(error, retries, lost)
      retry_after = (error.retry_after if error.is_a?(ApiError)) || 0
      return if retries >= @max_retries || retry_after > @max_retry_after || !may_repeat?(error, lost)

      [FIRST_DELAY_S * 2**retries * (1 - JITTER + 2 * JITTER * rand), retry_after].max
    end

    def may_repeat?(error, lost)
      return true unless error.is_a?(ApiError)
      # After a lost connection, the first attempt may still be in progress under the same key.
      return lost && (error.code == 'idempotency_key_in_flight' || !error.retry_after.nil?) if error.status == 409

      error.status == 429 || error.status >= 500
    end

    def body_of(email)
      email.to_h.transform_keys(&:to_s).compact.to_h do |name, value|
        [name, LISTS.include?(name) && value.is_a?(String) ? [value] : value]
      end
    end

    def path_of(collection, id)
      raise Error, 'The id is empty or consists of dots.' if ['', '.', '..'].include?(id.to_s)

      "#{collection}/#{URI.encode_www_form_component(id).gsub('+', '%20')}"
    end

    def text_of(time)
      time.is_a?(String) ? time : time.to_time.utc.iso8601(3)
    end
  end
end
