# frozen_string_literal: true

# Sends email with Postern, and verifies its webhooks. Needs only the standard library.
module Postern
end

require_relative 'postern/errors'
require_relative 'postern/webhook'
require_relative 'postern/client'
