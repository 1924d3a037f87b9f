<?php

/** Carries out one call of the conformance tests: JSON from the standard input, its outcome to the standard output. */

declare(strict_types=1);

require __DIR__ . '/../php/autoload.php';

use Postern\ApiException;
use Postern\Attachment;
use Postern\ConnectionException;
use Postern\Postern;
use Postern\PosternException;
use Postern\Webhook;
use Postern\WebhookVerificationException;

$asked = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);

$carriedOut = static function () use ($asked): array {
    $call = $asked['call'];
    if ($call === 'verify') {
        return Webhook::verify($asked['body'], $asked['headers'], $asked['secrets'], now: $asked['now']);
    }
    $names = ['timeout_s' => 'timeout', 'max_retries' => 'maxRetries', 'max_retry_after_s' => 'maxRetryAfter'];
    $options = [];
    foreach ($asked['options'] ?? [] as $name => $value) {
        $options[$names[$name]] = $value;
    }
    $client = new Postern($asked['key'] ?? 'em_live_key', $asked['url'], ...$options);
    $key = $asked['idempotency_key'] ?? null;

    return match ($call) {
        'send' => $client->send($asked['email'], $key),
        'batch' => $client->sendBatch($asked['emails'], $key),
        'get' => $client->get($asked['id']),
        'attach' => $client->send($asked['email'] + ['attachments' => [Attachment::file($asked['path'])]]),
        'schedule' => $client->schedule(new DateTimeImmutable($asked['send_at']), $asked['email'], $key),
    };
};

try {
    $outcome = ['reply' => $carriedOut()];
} catch (ApiException $error) {
    $outcome = [
        'error' => 'api',
        'message' => $error->getMessage(),
        'status' => $error->status,
        'code' => $error->errorCode,
        'request_id' => $error->requestId,
        'retry_after' => $error->retryAfter,
        'email_id' => $error->emailId,
    ];
} catch (WebhookVerificationException $error) {
    $outcome = ['error' => 'webhook', 'reason' => $error->reason];
} catch (ConnectionException) {
    $outcome = ['error' => 'connection'];
} catch (PosternException $error) {
    $outcome = ['error' => 'usage', 'message' => $error->getMessage()];
}
echo json_encode($outcome, JSON_THROW_ON_ERROR);
