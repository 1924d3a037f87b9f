# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = 'postern-client'
  spec.version = '0.1.0'
  spec.summary = 'Sends email with Postern, and verifies its webhooks.'
  spec.authors = ['Postern']
  spec.license = 'Apache-2.0'
  spec.required_ruby_version = '>= 2.7'
  spec.files = Dir['lib/**/*.rb', 'README.md', 'LICENSE']
end
