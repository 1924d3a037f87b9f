<?php

declare(strict_types=1);

namespace Postern;

/** Verifies the calls of webhooks. */
final class Webhook
{
    /**
     * Verifies a call and returns its event.
     *
     * @param string $body The raw body, exactly as it arrived: file_get_contents('php://input').
     * @param array<string, string|string[]> $headers Names in any case, or $_SERVER.
     * @param string|string[] $secret The signing secret with its prefix `whsec_`; several while you rotate it.
     * @param int $tolerance How many seconds the timestamp may differ from the clock.
     * @param ?int $now The current time in seconds.
     *
     * @return array<string, mixed>
     * @throws WebhookVerificationException if the call is not signed with the secret, or is too old
     */
    public static function verify(
        string $body,
        array $headers,
        string|array $secret,
        int $tolerance = 300,
        ?int $now = null,
    ): array {
        $timestamp = self::header($headers, 'x-service-timestamp');
        $signature = self::header($headers, 'x-service-signature');
        if ($timestamp === null || $signature === null) {
            throw new WebhookVerificationException(
                'missing_headers',
                'The headers X-Service-Timestamp and X-Service-Signature are missing.',
            );
        }
        if (!preg_match('/^[0-9]{1,15}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > $tolerance) {
            throw new WebhookVerificationException(
                'timestamp_out_of_tolerance',
                "X-Service-Timestamp differs from the clock by more than $tolerance seconds.",
            );
        }
        $secrets = (array) $secret;
        if ($secrets === [] || in_array('', $secrets, true)) {
            throw new PosternException('The signing secret is empty.');
        }
        $matches = false;
        foreach ($secrets as $one) {
            // Every secret is compared, so that the time does not depend on which one matches.
            $matches = hash_equals(hash_hmac('sha256', "$timestamp.$body", $one), $signature) || $matches;
        }
        if (!$matches) {
            throw new WebhookVerificationException(
                'wrong_signature',
                'X-Service-Signature does not match the body and the secret.',
            );
        }
        $event = json_decode($body, true);
        if (!is_array($event)) {
            throw new WebhookVerificationException('malformed_body', 'The body is not a JSON object.');
        }

        return $event;
    }

    /** @param array<string, string|string[]> $headers */
    private static function header(array $headers, string $name): ?string
    {
        foreach ($headers as $key => $value) {
            $plain = str_replace('_', '-', strtolower((string) $key));
            if ($plain === $name || $plain === "http-$name") {
                return is_array($value) ? ($value[0] ?? null) : $value;
            }
        }

        return null;
    }
}
