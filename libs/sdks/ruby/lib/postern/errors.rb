# frozen_string_literal: true

module Postern
  # The base class of all errors of this library.
  class Error < StandardError; end

  # No response arrived: the connection failed, or the time limit passed.
  class ConnectionError < Error; end

  # The call was not signed by Postern with this secret, or is too old. Answer it with 401. `reason` is
  # `missing_headers`, `timestamp_out_of_tolerance`, `wrong_signature` or `malformed_body`.
  class WebhookVerificationError < Error
    attr_reader :reason

    def initialize(reason, message)
      super(message)
      @reason = reason
    end
  end

  # Postern answered with an error status.
  class ApiError < Error
    attr_reader :status
    # From the header Error-Code, such as `recipient_not_verified`.
    attr_reader :code
    # From the header X-Request-Id; quote it when you report a problem.
    attr_reader :request_id
    # Seconds to wait before a retry, from the header Retry-After.
    attr_reader :retry_after
    # Id of a message whose outcome is unknown, from the header Email-Id.
    attr_reader :email_id

    def self.of(response)
      retry_after = response['retry-after']
      new(
        message_in(response.body) || "Postern answered with status #{response.code}.",
        status: response.code.to_i,
        code: response['error-code'],
        request_id: response['x-request-id'],
        retry_after: retry_after&.match?(/\A[0-9]{1,9}\z/) ? retry_after.to_i : nil,
        email_id: response['email-id']
      )
    end

    def self.message_in(body)
      problem = JSON.parse(body.to_s)
      problem['error'] if problem.is_a?(Hash) && problem['error'].is_a?(String)
    rescue JSON::ParserError
      nil
    end
    private_class_method :message_in

    def initialize(message, status:, code:, request_id:, retry_after:, email_id:)
      super(message)
      @status = status
      @code = code
      @request_id = request_id
      @retry_after = retry_after
      @email_id = email_id
    end
  end
end
