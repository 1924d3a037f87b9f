# The mail gem alone, and ActionMailer of Rails.
require 'json'
require 'base64'
require 'mail'
require 'action_mailer'

M = JSON.parse(File.read(File.join(__dir__, 'message.json'), encoding: 'utf-8'))
SMTP = { address: '127.0.0.1', port: ARGV[0].to_i, enable_starttls_auto: false }

mail = Mail.new(charset: 'UTF-8') do
  from "#{M['from_name']} <#{M['from']}>"
  to M['to']
  subject M['subject']
  body M['text'] + M['long_line'] * 150
end
mail.delivery_method :smtp, SMTP
mail.deliver!

class OrderMailer < ActionMailer::Base
  self.delivery_method = :smtp
  self.smtp_settings = SMTP

  def receipt
    attachments.inline['logo.png'] = Base64.decode64(M['logo'])
    attachments[M['pdf_name']] = Base64.decode64(M['pdf'])
    attachments[M['csv_name']] = { mime_type: 'text/csv', content: M['csv'] }
    mail(from: "#{M['from_name']} <#{M['from']}>", to: "#{M['to_name']} <#{M['to']}>", subject: M['subject']) do |format|
      format.text { render plain: M['text'] }
      format.html { render html: M['html'].html_safe }
    end
  end
end
OrderMailer.receipt.deliver_now
