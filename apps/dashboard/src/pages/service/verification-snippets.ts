import type { Language } from '@postern/contracts/request-samples';

export type ReceiverLanguage = Exclude<Language, 'curl'>;

/** Functions that verify whether a request comes from Postern, with the same rules in every language. */
export const VERIFICATION_SNIPPETS: Readonly<Record<ReceiverLanguage, string>> = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the bytes of the request as they arrived, not JSON that was written again.
export function isFromPostern(headers, body, secret) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!/^\\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', secret).update(timestamp + '.').update(body).digest();
  const received = Buffer.from(headers['x-service-signature'] ?? '', 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}`,

  python: `import hashlib, hmac, time

# body: the bytes of the request as they arrived, not JSON that was written again.
def is_from_postern(headers, body, secret):
    timestamp = headers.get("X-Service-Timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, headers.get("X-Service-Signature", ""))`,

  go: `package postern

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// IsFromPostern takes the bytes of the request as they arrived.
func IsFromPostern(header http.Header, body []byte, secret string) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	received, err := hex.DecodeString(header.Get("X-Service-Signature"))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return err == nil && hmac.Equal(received, mac.Sum(nil))
}`,

  php: `<?php
// $body: file_get_contents('php://input')
function is_from_postern(string $body, string $secret): bool {
    $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $expected = hash_hmac('sha256', $timestamp . '.' . $body, $secret);
    return hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '');
}`,

  ruby: `require "openssl"

# body: the bytes of the request as they arrived, not JSON that was written again.
def from_postern?(headers, body, secret)
  timestamp = headers["X-Service-Timestamp"].to_s
  return false unless timestamp.match?(/\\A\\d+\\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.#{body}")
  OpenSSL.secure_compare(expected, headers["X-Service-Signature"].to_s)
end`,
};
