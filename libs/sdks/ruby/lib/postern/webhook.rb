# frozen_string_literal: true

require 'json'
require 'openssl'

module Postern
  # Verifies the calls of webhooks.
  module Webhook
    DEFAULT_TOLERANCE = 300

    # Verifies a call and returns its event.
    #
    # `body` is the raw body, exactly as it arrived: `request.raw_post` in Rails. `headers` has names in any case, or is
    # the environment of Rack. `secret` is the signing secret with its prefix `whsec_`, or several while you rotate it.
    # @raise [WebhookVerificationError] if the call is not signed with the secret, or is too old
    def self.verify(body:, headers:, secret:, tolerance: DEFAULT_TOLERANCE, now: Time.now)
      timestamp = header(headers, 'x-service-timestamp')
      signature = header(headers, 'x-service-signature')
      unless timestamp && signature
        raise WebhookVerificationError.new(
          'missing_headers', 'The headers X-Service-Timestamp and X-Service-Signature are missing.'
        )
      end
      unless timestamp.match?(/\A[0-9]{1,15}\z/) && (now.to_f - timestamp.to_i).abs <= tolerance
        raise WebhookVerificationError.new(
          'timestamp_out_of_tolerance', "X-Service-Timestamp differs from the clock by more than #{tolerance} seconds."
        )
      end
      raise Error, 'The body must be the raw text of the request, not a parsed object.' unless body.is_a?(String)

      unless signed?(Array(secret), "#{timestamp}.".b + body.b, signature)
        raise WebhookVerificationError.new(
          'wrong_signature', 'X-Service-Signature does not match the body and the secret.'
        )
      end
      begin
        JSON.parse(body.dup.force_encoding(Encoding::UTF_8))
      rescue JSON::ParserError, EncodingError
        raise WebhookVerificationError.new('malformed_body', 'The body is not JSON.')
      end
    end

    # Every secret is compared, so that the time does not depend on which one matches.
    def self.signed?(secrets, data, signature)
      raise Error, 'The signing secret is empty.' if secrets.empty? || secrets.any? { |secret| secret.to_s.empty? }

      secrets.map { |secret| same?(OpenSSL::HMAC.hexdigest('SHA256', secret, data), signature.b) }.any?
    end
    private_class_method :signed?

    def self.same?(expected, given)
      expected.bytesize == given.bytesize && OpenSSL.fixed_length_secure_compare(expected, given)
    end
    private_class_method :same?

    # Rack writes X-Service-Timestamp as HTTP_X_SERVICE_TIMESTAMP.
    def self.header(headers, name)
      _, value = headers.to_h.find { |key, _| [name, "http-#{name}"].include?(key.to_s.downcase.tr('_', '-')) }
      value.is_a?(Array) ? value.first : value
    end
    private_class_method :header
  end
end
